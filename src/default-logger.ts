import { createRequire } from "node:module";
import type { Logger } from "./logger.ts";

/** Pino to standard error, warnings and errors only. Loaded on first use, so a custom logger costs nothing extra. */
export function defaultLogger(): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino");
  return pino({ name: "hookporter", level: "warn" }, pino.destination({ dest: 2, sync: true }));
}
