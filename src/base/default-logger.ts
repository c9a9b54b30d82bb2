import { hostname } from "node:os";
import { requirePackage } from "../package/own-address.ts";
import type { Logger } from "./logger.ts";

let shared: Logger | undefined;

/** The logger of those who give none: one for all of them. */
export function defaultLogger(): Logger {
  shared ??= makeLogger();
  return shared;
}

/**
 * Pino to standard error, warnings and errors only. Loaded on first use, so a custom logger costs nothing extra. A
 * bundle that runs without its dependencies has no pino; then this writes the same lines.
 */
function makeLogger(): Logger {
  let loaded: typeof import("pino");
  try {
    loaded = requirePackage("pino") as typeof import("pino");
  } catch {
    return plainLogger((line) => void process.stderr.write(line));
  }
  const { pino } = loaded;
  return pino({ name: "hookporter", level: "warn" }, pino.destination({ dest: 2, sync: true }));
}

/** Writes lines as pino does, warnings and errors only. */
export function plainLogger(write: (line: string) => void): Logger {
  const to = (level: number) => (fields: object, msg: string) => {
    const start = { level, time: Date.now(), pid: process.pid, hostname: hostname(), name: "hookporter" };
    write(`${asJson({ ...start, ...fields, msg }) ?? asJson({ ...start, msg })}\n`);
  };
  return { debug: () => {}, info: () => {}, warn: to(40), error: to(50) };
}

/** A value as JSON; `undefined` if it has none, such as an object that contains itself. */
function asJson(value: object): string | undefined {
  try {
    return JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner));
  } catch {
    return undefined;
  }
}
