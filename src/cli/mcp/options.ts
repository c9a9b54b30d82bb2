import { readChoice } from "../settings/values.ts";

/** What the tools may do only if the person who starts them allows it. */
export const PERMISSIONS = {
  many: "retry or send more than one event in a call",
  hosts: "send to other machines than this one",
} as const;

export type Permission = keyof typeof PERMISSIONS;

const NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/** Options of `mcp`. */
export interface McpOptions {
  readonly allow?: readonly Permission[];
}

const readPermission = readChoice(NAMES);

/** Reads a comma-separated list of permissions; a repeated flag adds to it. */
export const readAllowed = Object.assign(
  (text: string, before: readonly Permission[] = []): readonly Permission[] => [
    ...before,
    ...text.split(",").map((name) => readPermission(name.trim())),
  ],
  { words: NAMES, list: true },
);
