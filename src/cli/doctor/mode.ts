import type { Stats } from "node:fs";

/** The permissions of a file if they include one of these, as `chmod` takes them; `undefined` if not, and on Windows. */
export function shownMode({ mode }: Pick<Stats, "mode">, unwanted: number): string | undefined {
  if (process.platform === "win32" || (mode & unwanted) === 0) return undefined;
  return (mode & 0o777).toString(8).padStart(4, "0");
}
