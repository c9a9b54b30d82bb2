/**
 * Nothing comes in. Errors, loggers and other small parts go out, and the differences between
 * systems. Nothing here knows what a webhook is.
 *
 * All errors that hookporter throws on purpose. Expected results, such as a duplicate or a refused
 * delivery, are values, not errors: see `receiver/outcome.ts`.
 */

import { isError } from "./guards.ts";

/**
 * The stable error codes that a program meets, and their meanings. A test compares them with
 * `docs/reference/errors.md`.
 */
export const ERROR_CODES = {
  option_invalid: "An option has an invalid value.",
  secret_missing: "A secret is needed, but none was given.",
  secret_empty: "A secret, or one in the list, is empty or only white space.",
  retention_too_short: "Dedup keys would be deleted while a replay is still accepted.",
  body_already_parsed: "Something upstream read the body before hookporter could verify its bytes.",
  inbox_unsupported: "This version does not support that kind of inbox.",
  inbox_client_missing: "The package that an inbox needs is not installed.",
  inbox_unavailable: "The inbox cannot be opened, read or written.",
  inbox_unreachable:
    "The database of the inbox does not respond, or the connection to it was lost.",
  disk_full: "The disk of the inbox is full.",
  disk_error: "The disk of the inbox reports errors.",
  inbox_read_only: "The inbox, its disk or its database is read-only.",
  inbox_busy: "The inbox is locked by another process, or too many writes or entries are waiting.",
  inbox_corrupt: "The inbox is damaged, or the file is not an inbox.",
  inbox_rescuing:
    "The inbox file was removed or replaced, and what it held is being written out again.",
  inbox_newer: "The inbox was written by a newer version.",
  inbox_older: "The inbox was written by an older version, and this program does not update it.",
  closed: "The receiver or its inbox is closed, or was not started.",
  handler_timeout: "A handler did not finish in time.",
  tx_ended: "A handler used its transaction after it had ended.",
  port_unavailable: "The port is not available.",
  credential_missing: "No API key, access token or authtoken was given.",
  credential_invalid: "The API key or access token cannot be used.",
  service_unauthorized: "The service did not accept the credential: status 401.",
  service_refused: "The service refused the request: status 400 or another 4xx.",
  service_rate_limited: "The service's rate limit was reached: status 429.",
  service_failed: "The service failed: status 500 or another 5xx.",
  service_answer_invalid: "The service's response does not match its description.",
  service_unreachable: "The service did not respond, or its response was cut off.",
  service_timeout: "The service did not respond in time.",
  timed_out: "The expected event or result did not arrive in time.",
} as const;

export const COMMAND_ERROR_CODES = {
  secret_unsafe: "Other users could read or replace a secret file.",
  secret_invalid: "A secret is not in the given encoding, or is not text.",
  handlers_invalid: "A handlers module cannot be loaded, or does not export handlers.",
  config_invalid: "The project configuration file is not valid.",
  config_untrusted: "A file of the folder sets what nobody has agreed to.",
  folder_unusable: "A file or folder cannot be read or written, or something else is in its place.",
  handler_exited: "A handler, or code it uses, called `process.exit`.",
  fixture_invalid: "A file is neither a saved delivery nor an envelope.",
  input_invalid: "A file or standard input does not contain what the command needs.",
  entry_unknown: "No inbox entry matches the request.",
  directory_not_empty: "The folder for the new project already contains files.",
  template_unknown: "There is no template with that name.",
  target_unreachable: "The target did not respond.",
  target_refused: "The target responded, but not with a 2xx status.",
  tunnel_failed: "The tunnel could not be opened.",
  tunnel_client_missing: "The package that a tunnel needs is not installed.",
  stream_refused: "The server refused the stream, or the stream could not be opened.",
  usage: "The command line is not valid.",
} as const;

/** One of the stable error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** A code of a program or of the command line. */
export type AnyErrorCode = ErrorCode | keyof typeof COMMAND_ERROR_CODES;

/** The codes of a {@link ConfigurationError}. */
export type ConfigurationErrorCode =
  | "option_invalid"
  | "secret_missing"
  | "secret_empty"
  | "retention_too_short"
  | "body_already_parsed"
  | "inbox_unsupported"
  | "inbox_client_missing"
  | "credential_missing"
  | "credential_invalid";

/** The codes with which an inbox rejects if its store fails. */
export const INBOX_ERROR_CODES = [
  "inbox_unavailable",
  "inbox_unreachable",
  "disk_full",
  "disk_error",
  "inbox_read_only",
  "inbox_busy",
  "inbox_corrupt",
  "inbox_rescuing",
  "inbox_newer",
  "inbox_older",
] as const satisfies readonly ErrorCode[];

/** One of {@link INBOX_ERROR_CODES}. */
export type InboxErrorCode = (typeof INBOX_ERROR_CODES)[number];

/** The codes that a receiver throws, rejects with or logs. */
export type ReceiverErrorCode =
  | Exclude<ConfigurationErrorCode, `credential_${string}`>
  | InboxErrorCode
  | "closed"
  | "handler_timeout"
  | "tx_ended";

/** The codes of the client of the service's API. */
export type ClientErrorCode =
  | Extract<ErrorCode, `service_${string}`>
  | "option_invalid"
  | "credential_missing"
  | "credential_invalid";

/** The codes of the sandbox. */
export type SandboxErrorCode = "option_invalid" | "port_unavailable";

/** The codes of a receiver for tests. */
export type TestingErrorCode = ReceiverErrorCode | "timed_out";

/** The name of the class that an error was made by, on its prototype. */
const BRAND = Symbol.for("hookporter.error");

/**
 * The base class of all errors that hookporter throws on purpose. Branch on `code`, show `message`.
 *
 * @example
 * ```ts
 * import { createReceiver, HookporterError } from "hookporter";
 *
 * try {
 *   await createReceiver({ secret: process.env.HOOKPORTER_SECRET }).start();
 * } catch (error) {
 *   if (!(error instanceof HookporterError) || error.code !== "inbox_busy") throw error;
 *   console.error(`try again later: ${error.message}`);
 * }
 * ```
 */
export class HookporterError extends Error {
  static {
    brand(HookporterError, "HookporterError");
  }

  override readonly name: string = "HookporterError";
  /** Stable, so it is safe to branch on. */
  readonly code: ErrorCode;

  constructor(code: AnyErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    // those of the command line are not in the type, as no program meets them
    this.code = code as ErrorCode;
  }
}

/**
 * A mistake in your code or setup, thrown at construction if it can be detected there. The message
 * names the fix.
 *
 * @example
 * ```ts
 * import { ConfigurationError, createReceiver } from "hookporter";
 *
 * try {
 *   createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * } catch (error) {
 *   if (error instanceof ConfigurationError) console.error(`${error.code}: ${error.message}`);
 *   throw error;
 * }
 * ```
 */
export class ConfigurationError extends HookporterError {
  static {
    brand(ConfigurationError, "ConfigurationError");
  }

  override readonly name = "ConfigurationError";
  declare readonly code: ConfigurationErrorCode;

  constructor(code: ConfigurationErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/**
 * Lets `instanceof` go by the name of a class, not by its identity, since a process may have this
 * package twice: as an ES module and as CommonJS, once for each file of tests, or in two versions.
 */
export function brand(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, BRAND, { value: name });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: { readonly prototype: object }, thrown: unknown): boolean {
      const wanted = Object.getOwnPropertyDescriptor(this.prototype, BRAND)?.value;
      // A class of a user's own that extends this one has no brand.
      if (wanted === undefined) return Function.prototype[Symbol.hasInstance].call(this, thrown);
      return prototypesOf(thrown).some(
        (prototype) => Object.getOwnPropertyDescriptor(prototype, BRAND)?.value === wanted,
      );
    },
  });
}

function prototypesOf(thrown: unknown): readonly object[] {
  if (typeof thrown !== "object" || thrown === null) return [];
  const prototype: unknown = Object.getPrototypeOf(thrown);
  return typeof prototype === "object" && prototype !== null
    ? [prototype, ...prototypesOf(prototype)]
    : [];
}

/** An error's code, which in the command line may be one of its own. */
export function codeOf({ code }: HookporterError): AnyErrorCode {
  return code;
}

/**
 * Describes any thrown value in one line, including `undefined`, strings and objects whose
 * `message` throws.
 */
export function describeError(thrown: unknown): string {
  try {
    if (isError(thrown)) return withoutOpenSsl(String(thrown.message || thrown.name));
    return typeof thrown === "string" ? thrown : `thrown: ${String(thrown)}`;
  } catch {
    return "thrown: a value that cannot be shown";
  }
}

/**
 * Leaves out what OpenSSL prints around an error's reason: `THREAD:error:CODE:library:function:`
 * before it, `:file:line:` after it.
 */
function withoutOpenSsl(message: string): string {
  const [before = "", error, code = "", , , reason] = message.split(":", 6);
  if (error !== "error" || reason === undefined || !/^[\dA-F]+$/.test(code)) return message;
  const end = message.indexOf("\n");
  const rest = end === -1 ? "" : message.slice(end + 1);
  return before.slice(0, before.lastIndexOf(" ") + 1) + reason + rest;
}

/** Anything thrown as an error, so that it can be kept as one. */
export function asError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(describeError(thrown));
}
