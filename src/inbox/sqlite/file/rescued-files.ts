import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Logger } from "../../../base/logger.ts";
import { ownCommand } from "../../../base/package/own-command.ts";
import { pathWord } from "../../../base/text/shell-word.ts";
import { tryOr } from "../../../base/try-or.ts";

/** Between the path of an inbox and the time at which it was rescued. */
const MARK = "-rescued-";

/**
 * Where an inbox that was removed or replaced is written to; `again` tells apart those of the same
 * second.
 */
export function rescuePath(path: string, now: number, again = 0): string {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${path}${MARK}${time}${again === 0 ? "" : `-${again + 1}`}`;
}

/** The files that were rescued of an inbox at this path, oldest first. */
export function rescuedBeside(path: string): readonly string[] {
  const start = basename(path) + MARK;
  return tryOr(() => {
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith(start));
    return names
      .filter((name) => /^\d{8}T\d{6}Z(?:-\d+)?$/.test(name.slice(start.length)))
      .sort()
      .map((name) => join(dirname(path), name));
  }, []); // There is no such folder, or it cannot be read.
}

export function mergeCommand(...files: readonly [rescued: string, path: string]): string {
  return ownCommand(`inbox copy ${files.map(pathWord).join(" --into ")}`);
}

export function reportNew(path: string, log: Logger | undefined): void {
  const rescued = rescuedBeside(path).at(-1);
  if (rescued === undefined)
    log?.info({ inbox: path }, "made a new, empty inbox: there was none at this path");
  else {
    const message =
      "made a new, empty inbox, but what an earlier one held was rescued: stop the receiver, then run";
    log?.warn({ inbox: path, rescued }, `${message} \`${mergeCommand(rescued, path)}\``);
  }
}
