/**
 * The logger hookporter writes to; any pino logger fits. The message never contains values of the
 * fields.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * The same logger with fields added to each line. A call without fields, as pino takes it, is
 * understood too.
 */
export function withFields(log: Logger, fields: object): Logger {
  const withMore =
    (level: keyof Logger) =>
    (more: object | string, message: string): void => {
      if (typeof more === "string") log[level](fields, more);
      else log[level]({ ...fields, ...more }, message);
    };
  return {
    debug: withMore("debug"),
    info: withMore("info"),
    warn: withMore("warn"),
    error: withMore("error"),
  };
}
