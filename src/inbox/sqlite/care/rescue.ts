import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describeError, HookporterError, type InboxErrorCode } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { statfsSync } from "../../../base/package/builtins.ts";
import { makeFileSlowly } from "../file/new-file.ts";
import { mergeCommand, rescuePath } from "../file/rescued-files.ts";
import { checkElsewhere } from "./check-elsewhere.ts";
import type { FileReport } from "./check-file.ts";

/** Milliseconds between attempts if a rescue fails, for example because the disk is full. */
const AGAIN = 30_000;

/** Bytes of the disk that a rescue leaves free. */
const LEFT_FREE = 16 * 1024 * 1024;

export interface RescueParts {
  /**
   * What was expected, and what is there instead, if a file of the inbox was removed or replaced.
   */
  readonly missing: () => string | undefined;
  /** The size of the inbox in bytes, with its log. */
  readonly bytes: () => number;
  /** Writes all that the open connection sees into an empty file. */
  readonly copyInto: (draft: string) => Promise<void>;
  readonly log: Logger | undefined;
}

/**
 * Writes an inbox out again whose file was removed or replaced while it is open. Only the open
 * connection still has all of it, and loses it when the process ends.
 */
export class Rescue {
  /** Why nothing can be kept, as far as the last look showed: the file is not in place. */
  error: HookporterError | undefined;
  readonly #path: string;
  readonly #parts: RescueParts;
  #pending: Promise<void> | undefined;
  #isSafe = false;
  #nextTry = 0;
  /** How often the file was back: what was copied before that may not be all. */
  #returns = 0;

  /** @param path - of the inbox file, with symbolic links resolved */
  constructor(path: string, parts: RescueParts) {
    this.#path = path;
    this.#parts = parts;
  }

  /** Looks whether the file is in place, and begins a rescue at once if not. */
  rescueIfMissing(): HookporterError | undefined {
    const missing = this.#parts.missing();
    if (missing === undefined && this.error !== undefined) {
      this.#parts.log?.warn({}, `${this.#path} is back in place`);
      this.#returns++;
      this.error = undefined;
      this.#isSafe = false;
      this.#nextTry = 0;
    }
    if (missing === undefined) return undefined;
    if (this.#pending !== undefined) this.error ??= rescuing(missing);
    else if (!this.#isSafe && performance.now() >= this.#nextTry) this.#begin(missing);
    return this.error;
  }

  /** Looks a last time, tries once more what failed, and waits until that has ended. */
  async settled(): Promise<void> {
    // the check's process alone would not keep this one alive
    const alive = setInterval(() => {}, 1000);
    await this.#pending;
    this.#nextTry = 0;
    this.rescueIfMissing();
    await this.#pending;
    clearInterval(alive);
  }

  #begin(missing: string): void {
    this.error = rescuing(missing);
    this.#parts.log?.error({}, this.error.message);
    const returns = this.#returns;
    this.#pending = this.#rescue(missing).then((error) => {
      this.#pending = undefined;
      this.#parts.log?.error({}, error.message);
      if (this.#returns === returns) this.error = error;
      else this.#isSafe = false;
    });
  }

  /** Returns why nothing can be kept from then on. */
  async #rescue(missing: string): Promise<HookporterError> {
    try {
      const rescued = await this.#write();
      this.#isSafe = true;
      return lost(
        missing,
        `: everything that it held is in ${rescued}. Put the same file back; or restart, and then run ` +
          `\`${mergeCommand(rescued, this.#path)}\` while nothing uses the inbox`,
      );
    } catch (thrown) {
      this.#nextTry = performance.now() + AGAIN;
      return lost(
        missing,
        `, and what it held could not be written to a file beside it (${describeError(thrown)}): ` +
          "this is tried again every 30 seconds, and when the receiver stops; fix the cause, and do not kill the receiver, " +
          "which has the only copy",
      );
    }
  }

  /** Returns the path of the file. */
  async #write(): Promise<string> {
    const folder = dirname(this.#path);
    makeFolder(folder, 0o700);
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const needed = this.#parts.bytes() + LEFT_FREE;
    if (free < needed) throw new Error(`${needed} bytes are needed, ${free} are free`);
    for (let again = 0; ; again++) {
      const path = rescuePath(this.#path, Date.now(), again);
      if (existsSync(path)) continue;
      const isMade = await makeFileSlowly(path, async (draft) => {
        await this.#parts.copyInto(draft);
        await verify(draft);
      });
      if (isMade) return path;
    }
  }
}

function rescuing(missing: string): HookporterError {
  const rest =
    ": everything that it held is being written to a file beside it; wait until that is complete";
  return lost(missing, rest, "inbox_rescuing");
}

function lost(
  missing: string,
  rest: string,
  code: InboxErrorCode = "inbox_unavailable",
): HookporterError {
  return new HookporterError(code, missing + rest);
}

/** Checks every page and every body, in another process if there can be one. */
async function verify(draft: string): Promise<void> {
  const report = await new Promise<FileReport | undefined>((resolve) => {
    if (checkElsewhere(draft, resolve) === undefined) resolve(undefined);
  });
  const { problems } = report ?? (await import("./check-file.ts")).checkFile(draft);
  if (problems.length > 0) throw new Error(`the new file is not intact: ${problems[0]}`);
}
