import { createHash } from "node:crypto";
import { join } from "node:path";
import { describeFileError } from "../../base/file-error.ts";
import { isRecord } from "../../base/guards.ts";
import { readText } from "../../base/system/files.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { tryOr } from "../../base/try-or.ts";
import type { Sendable } from "../../relay/chaos.ts";
import { replaceFile } from "../files/replace-file.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";
import { inputError, unreadableFileError, usageError } from "../input-errors.ts";

/** What makes two runs the same: then the second can send the rest of the first. */
export interface ReplayRun {
  readonly cwd: string;
  readonly what: readonly string[];
  readonly target: URL;
  readonly exact: boolean;
}

/** Something to send, and the saved bytes that it is made of. */
export interface Recordable {
  readonly item: Sendable;
  readonly name: string;
  readonly body: Uint8Array;
}

/**
 * Milliseconds between two writings of the file. A process that is killed sends again what was sent
 * since the last.
 */
export const RECORD_INTERVAL = 1000;

const VERSION = 1;

/**
 * Which items of a replay were answered 2xx: a file in the project's folder, `replay-<hash>.json`,
 * from which `--resume` goes on. It holds digests, no bodies.
 */
export class ReplayRecord {
  readonly #run: ReplayRun;
  readonly #path: string;
  readonly #ids = new Map<Sendable, string>();
  readonly #sent: Set<string>;
  #writtenAt = performance.now();
  #problem: string | undefined;

  /**
   * The record of a run that begins, or resumes one that was interrupted. An earlier one is
   * replaced as soon as something is sent. Throws `usage` if there is none to resume,
   * `input_invalid` if it cannot be read.
   */
  constructor(run: ReplayRun, items: readonly Recordable[], resumes: boolean) {
    this.#run = run;
    this.#path = pathOf(run);
    this.#sent = resumes ? readSent(run) : new Set();
    const seen = new Map<string, number>();
    for (const { item, name, body } of items) {
      const hash = createHash("sha256").update(`${name}\0`).update(body);
      const digest = hash.digest("base64url").slice(0, 16);
      const times = (seen.get(digest) ?? 0) + 1;
      seen.set(digest, times);
      this.#ids.set(item, times === 1 ? digest : `${digest}-${times}`);
    }
  }

  /** Whether an item was answered 2xx. */
  has(item: Sendable): boolean {
    return this.#sent.has(this.#idOf(item));
  }

  add(item: Sendable): void {
    this.#sent.add(this.#idOf(item));
    if (performance.now() - this.#writtenAt >= RECORD_INTERVAL) this.write();
  }

  #idOf(item: Sendable): string {
    return this.#ids.get(item) as string; // a run has a record only if it sends each item as it is
  }

  /** Writes the file. A folder that cannot be written must not end a run that works without it. */
  write(): void {
    this.#writtenAt = performance.now();
    const { target, what } = this.#run;
    const record = { version: VERSION, target: shownUrl(target), what, sent: [...this.#sent] };
    try {
      makeStateFolder(this.#run.cwd);
      replaceFile(this.#path, `${JSON.stringify(record)}\n`);
      this.#problem = undefined;
    } catch (thrown) {
      this.#problem = describeFileError(thrown);
    }
  }

  toGoOn(left: number): string {
    this.write();
    const them = left === 1 ? "the one that is left" : `the ${left} that are left`;
    if (this.#problem === undefined) return `run it again with --resume to send only ${them}`;
    return `this run cannot be resumed, since ${STATE_FOLDER} could not be written: ${this.#problem}`;
  }
}

function pathOf({ cwd, what, target, exact }: ReplayRun): string {
  const hash = createHash("sha256").update(JSON.stringify([what, target.href, exact]));
  return join(cwd, STATE_FOLDER, `replay-${hash.digest("hex").slice(0, 12)}.json`);
}

function readSent(run: ReplayRun): Set<string> {
  const path = pathOf(run);
  let text: string;
  try {
    text = readText(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT")
      throw unreadableFileError(path, thrown);
    throw usageError(
      `--resume: expected an earlier replay of the same arguments to ${shownUrl(run.target)}, got none: omit --resume to send all`,
    );
  }
  const sent = parseSent(text);
  if (sent === undefined)
    throw inputError(
      `${path}: expected the record of a replay, got something else: remove it, and omit --resume to send all`,
    );
  return new Set(sent);
}

function parseSent(text: string): readonly string[] | undefined {
  const record: unknown = tryOr(() => JSON.parse(text), undefined);
  if (!isRecord(record) || record.version !== VERSION || !Array.isArray(record.sent))
    return undefined;
  return record.sent.every((id) => typeof id === "string") ? record.sent : undefined;
}
