import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The files of one test. */
export interface Place {
  readonly folder: string;
  readonly inbox: string;
  /** One event id per line, for each run of a handler. */
  readonly effects: string;
  /** One answer per line, see {@link Answer}. */
  readonly answers: string;
  /** The receivers' log, in pino's format. */
  readonly log: string;
  /** The log, opened for appending. */
  readonly logHandle: number;
}

/**
 * An answer that the sender received; status 0 is a failed connection. Times are milliseconds since
 * 1970.
 */
export interface Answer {
  readonly id: string;
  readonly status: number;
  readonly port: number;
  readonly began: number;
  readonly at: number;
}

/** A line of a receiver's log. */
export interface LogLine {
  /** Pino's: 40 is a warning, 50 an error. */
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A new folder for a test. If the test fails, it is kept, and its path is printed. */
export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-strangers-"));
  const file = (name: string) => join(folder, name);
  const logHandle = openSync(file("log.ndjson"), "a");
  onTestFinished(({ task }) => {
    closeSync(logHandle);
    if (task.result?.state === "fail")
      process.stdout.write(`${task.name}: its files are in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  });
  const effects = file("effects.txt");
  const answers = file("answers.ndjson");
  return { folder, inbox: file("inbox.db"), effects, answers, log: file("log.ndjson"), logHandle };
}

/** The ids of handled events. */
export function handledIn({ effects }: Place): ReadonlySet<string> {
  return new Set(wholeLines(effects));
}

/** The answers so far, in order. */
export function answersIn({ answers }: Place): readonly Answer[] {
  return wholeLines(answers).map((line) => JSON.parse(line));
}

/** The log lines of the receivers so far. */
export function logIn({ log }: Place): readonly LogLine[] {
  return wholeLines(log)
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

/** A line that is still being written has no newline yet. */
function wholeLines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
