export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

export type Shell = (typeof SHELLS)[number];

/**
 * The first argument with which a script asks for completions. The words so far follow, the last
 * one unfinished.
 */
export const COMPLETE = "__complete";

/** The line with which the answer asks the shell to add the names of files. */
export const FILES = ":files";
