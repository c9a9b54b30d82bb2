import type { Logger } from "hookporter";

/** Logs one JSON line per message to standard error. You can use any pino logger instead. */
export const log: Logger = {
  debug: () => {},
  info: (fields, message) => write("info", fields, message),
  warn: (fields, message) => write("warn", fields, message),
  error: (fields, message) => write("error", fields, message),
};

function write(level: string, fields: object, message: string): void {
  console.error(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
}
