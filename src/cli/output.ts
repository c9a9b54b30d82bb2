import type { Writable } from "node:stream";
import { Chalk, type ChalkInstance } from "chalk";
import { escapeInvisible } from "../base/text/escape-invisible.ts";
import type { Io } from "./io.ts";
import { cutToColumns, wrapText } from "./wrap-text.ts";

/**
 * The version of the records that `--json` prints; it increases when a field changes its meaning or
 * is removed.
 */
export const RECORD_SCHEMA_VERSION = 1;

/** A command's output: data on standard output, messages on standard error. */
export interface Output {
  /** Whether `--json` was given: then standard output contains only NDJSON. */
  readonly json: boolean;
  /** Colours for standard output. */
  readonly color: ChalkInstance;
  /** Columns of the terminal that standard output is; `undefined` if it is none. */
  readonly columns: number | undefined;
  /** Prints a line of data for people; nothing with `--json`. */
  data(line: string): void;
  /**
   * Prints a message to standard error, on a terminal wrapped between words; nothing with
   * `--quiet`.
   */
  talk(line: string): void;
  /**
   * Prints the error that ends a command to standard error; nothing with `--json`, as its record
   * says the same.
   */
  error(line: string): void;
  /** Prints an NDJSON record; only with `--json`. */
  record(type: string, fields: object): void;
  /** Writes text to standard error unchanged, such as what a handler prints. */
  writeStderr(text: string): void;
  /**
   * From now on leaves out lines while nobody reads standard output, rather than keep them in
   * memory.
   */
  dropUnread(): void;
  /** Writes bytes of data unchanged. */
  writeStdout(bytes: Uint8Array): void;
  /**
   * Shows a line at the bottom of the terminal, cut to its width, or removes it; everything else is
   * printed above it. Returns whether anyone sees it: nobody does without a terminal, or with
   * `--json`.
   */
  status(line: string | undefined): boolean;
}

interface OutputOptions {
  readonly json: boolean;
  /** Whether there may be colours: `false` for none, else what `usesColor` says. */
  readonly color: boolean | undefined;
  /** Prints no messages. Default `false`. */
  readonly quiet?: boolean;
  readonly clock: () => number;
}

/** Bytes of output that wait for a reader before further lines are left out. */
const MOST_UNREAD = 4 * 1024 * 1024;

const ERASE_LINE = "\r\u001b[K";

/** A terminal that does not know its width is probably 80 columns wide. */
function widthOf(stream: Writable & { readonly columns?: number }): number {
  return stream.columns || 80;
}

function fitting(line: string, stream: Writable): string {
  return cutToColumns(line, widthOf(stream) - 1);
}

export function createOutput(io: Io, { json, color, clock, quiet = false }: OutputOptions): Output {
  const hasStatus = io.isTTY.stdout && io.isTTY.stderr && io.env.TERM !== "dumb" && !json;
  let status: string | undefined;
  const above = (print: () => void) => {
    if (status !== undefined) io.stderr.write(ERASE_LINE);
    print();
    if (status !== undefined) io.stderr.write(fitting(status, io.stderr));
  };
  const message = (text: string) => {
    const width = io.isTTY.stderr ? widthOf(io.stderr) : Number.POSITIVE_INFINITY;
    const lines = text.split("\n").flatMap((line) => wrapText(line, width));
    above(() => io.stderr.write(`${lines.join("\n")}\n`));
  };
  let dropsUnread = false;
  let dropped = 0;
  const print = (line: string) => {
    if (dropsUnread && io.stdout.writableLength > MOST_UNREAD) {
      if (dropped++ === 0)
        above(() => io.stderr.write("standard output is not being read: lines are left out\n"));
      return;
    }
    dropped = 0;
    io.stdout.write(`${line}\n`);
  };
  return {
    json,
    get columns() {
      return io.isTTY.stdout ? widthOf(io.stdout) : undefined;
    },
    color: new Chalk({ level: color !== false && usesColor(io) ? 1 : 0 }),
    data: (line) => {
      if (!json) above(() => print(line));
    },
    writeStderr: (text) => above(() => io.stderr.write(text)),
    talk: (text) => {
      if (!quiet) message(text);
    },
    error: (text) => {
      if (!json) message(text);
    },
    record: (type, fields) => {
      if (!json) return;
      const time = new Date(clock()).toISOString();
      const record = { schemaVersion: RECORD_SCHEMA_VERSION, type, time, ...fields };
      // JSON escapes fewer characters than a terminal interprets
      print(escapeInvisible(JSON.stringify(record)));
    },
    dropUnread: () => {
      dropsUnread = true;
    },
    writeStdout: (bytes) => above(() => io.stdout.write(bytes)),
    status: (line) => {
      if (!hasStatus) return false;
      if (status !== undefined || line !== undefined) io.stderr.write(ERASE_LINE);
      status = line;
      if (line !== undefined) io.stderr.write(fitting(line, io.stderr));
      return true;
    },
  };
}

/**
 * As other programs: `FORCE_COLOR`, then `NO_COLOR`, then whether standard output is a terminal.
 */
function usesColor({ env, isTTY }: Pick<Io, "env" | "isTTY">): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTTY.stdout && !NO_COLOR && TERM !== "dumb";
}

/** Makes a text safe to print and limits its length: see {@link escapeInvisible}. */
export function printable(text: string, maxLength = 200): string {
  return escapeInvisible(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}
