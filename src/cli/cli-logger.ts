import type { Logger } from "../base/logger.ts";
import { type Output, printable } from "./output.ts";

/** A logger that prints the library's log to standard error. */
export function createCliLogger(output: Output): Logger {
  const line = (level: string) => (fields: object, message: string) => {
    const details = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`,
    );
    output.talk(`${level}: ${printable([message, ...details].join(" "), 1000)}`);
  };
  return { debug: () => {}, info: line("info"), warn: line("warning"), error: line("error") };
}

/**
 * A logger without the lines that have one of these fields, which a command shows in its own way.
 */
export function loggerWithout(names: readonly string[], log: Logger): Logger {
  const others = (level: keyof Logger) => (fields: object, message: string) => {
    if (!names.some((name) => name in fields)) log[level](fields, message);
  };
  return {
    debug: others("debug"),
    info: others("info"),
    warn: others("warn"),
    error: others("error"),
  };
}
