import { HookporterError } from "../base/errors.ts";
import { describeFileError } from "../base/file-error.ts";

/** A mistake in the command line. */
export function usageError(message: string, cause?: unknown): HookporterError {
  return new HookporterError("usage", message, cause === undefined ? {} : { cause });
}

/** What a reader of a flag, setting or argument throws; its caller says where the value was. */
export class UnexpectedValue extends Error {
  /** What was expected, such as `a port from 0 to 65535`. */
  readonly expected: string;

  constructor(expected: string) {
    super(`expected ${expected}`);
    this.expected = expected;
  }
}

/** A file or an entry that the command line names, and that cannot be used. */
export function inputError(message: string, cause?: unknown): HookporterError {
  return new HookporterError("input_invalid", message, cause === undefined ? {} : { cause });
}

export function unreadableFileError(path: string, cause: unknown): HookporterError {
  return inputError(`could not read ${path}: ${describeFileError(cause)}`, cause);
}

export function unwritableFileError(path: string, cause: unknown): HookporterError {
  return inputError(`${path} could not be written: ${describeFileError(cause)}`, cause);
}

/** A mistake in the configuration file. */
export function invalidConfig(file: string, what: string, cause?: unknown): HookporterError {
  return new HookporterError(
    "config_invalid",
    `${file} ${what}`,
    cause === undefined ? {} : { cause },
  );
}
