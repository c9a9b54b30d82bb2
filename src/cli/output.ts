import { Chalk, type ChalkInstance } from "chalk";
import type { Io } from "./io.ts";
import { escapeUnprintable } from "./printable.ts";

/** The version of the records that `--json` prints; it changes when a field changes its meaning or goes. */
export const RECORD_SCHEMA_VERSION = 1;

/** Where a command writes: data on standard output, talk on standard error. */
export interface Output {
  /** Whether `--json` was given: standard output is NDJSON then, and nothing else. */
  readonly json: boolean;
  /** Colours for standard output. */
  readonly color: ChalkInstance;
  /** One line of data, for people; nothing under `--json`. */
  data(line: string): void;
  /** One line of talk. */
  talk(line: string): void;
  /** One NDJSON record, under `--json` only. */
  record(type: string, fields: object): void;
  /** Bytes of data as they are. */
  raw(bytes: Uint8Array): void;
}

/** How output is to look. */
export interface OutputOptions {
  readonly json: boolean;
  /** `undefined`: colours where standard output is a terminal and `NO_COLOR` is not set. */
  readonly color: boolean | undefined;
  readonly clock: () => number;
}

/** Output over a process's streams, or a test's. */
export function createOutput(io: Io, { json, color, clock }: OutputOptions): Output {
  const detected = io.isTTY.stdout && !io.env.NO_COLOR && io.env.TERM !== "dumb";
  return {
    json,
    color: new Chalk({ level: (color ?? detected) ? 1 : 0 }),
    data: (line) => {
      if (!json) io.stdout.write(`${line}\n`);
    },
    talk: (line) => {
      io.stderr.write(`${line}\n`);
    },
    record: (type, fields) => {
      if (!json) return;
      const time = new Date(clock()).toISOString();
      const record = { schemaVersion: RECORD_SCHEMA_VERSION, type, time, ...fields };
      io.stdout.write(`${escapeUnprintable(JSON.stringify(record))}\n`); // JSON escapes some, a terminal acts on more
    },
    raw: (bytes) => {
      io.stdout.write(bytes);
    },
  };
}
