import { hostname } from "node:os";
import type { Logger } from "./logger.ts";
import { requirePackage } from "./package/own-address.ts";
import { tryOr } from "./try-or.ts";

let shared: Logger | undefined;

/** The logger of those who give none: one for all of them. */
export function defaultLogger(): Logger {
  shared ??= makeLogger();
  return shared;
}

/**
 * Pino to standard error, loaded on first use. A bundle without its dependencies has no pino, and
 * with frozen intrinsics it fails: the lines are the same.
 */
function makeLogger(): Logger {
  try {
    const { pino } = requirePackage("pino") as typeof import("pino");
    return pino({ name: "hookporter", level: "warn" }, pino.destination({ dest: 2, sync: true }));
  } catch {
    return plainLogger((line) => void process.stderr.write(line));
  }
}

/** Writes lines as pino does, warnings and errors only. */
export function plainLogger(write: (line: string) => void): Logger {
  const to = (level: number) => (fields: object, msg: string) => {
    const start = {
      level,
      time: Date.now(),
      pid: process.pid,
      hostname: hostname(),
      name: "hookporter",
    };
    write(`${asJson({ ...start, ...fields, msg }) ?? asJson({ ...start, msg })}\n`);
  };
  return { debug: () => {}, info: () => {}, warn: to(40), error: to(50) };
}

/** A value as JSON; `undefined` if it has none, such as an object that contains itself. */
function asJson(value: object): string | undefined {
  return tryOr(
    () => JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner)),
    undefined,
  );
}
