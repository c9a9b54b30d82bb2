/**
 * Every error hookporter throws on purpose, in one place. Expected results (a duplicate, a refused
 * delivery) are values, not errors: see `receiver/outcome.ts`.
 */

/** The stable codes, with what each one means. `docs/errors.md` lists the same codes; a test compares both. */
export const ERROR_CODES = {
  option_invalid: "An option has a value that cannot work.",
  secret_missing: "No secret was given where one is needed.",
  secret_empty: "A secret, or one of the list, is empty or only white space.",
  secret_unsafe: "A secret file could be read, or swapped, by somebody else.",
  retention_too_short: "Dedup keys would be dropped while a replay is still accepted.",
  body_already_parsed: "Something upstream read the body before hookporter could check its bytes.",
  handlers_invalid: "A handlers module does not load, or exports something that is not handlers.",
  config_invalid: "The project configuration file is not valid.",
  inbox_unsupported: "The inbox was asked for in a form this version does not know.",
  inbox_unavailable: "The inbox cannot be opened, read or written.",
  inbox_busy: "The inbox is locked by another process, or has more waiting than it can take.",
  inbox_corrupt: "The inbox file is damaged, or is not an inbox.",
  inbox_newer: "The inbox file was written by a newer version.",
  inbox_older:
    "The inbox file was written by an older version, and the command does not bring it up to date.",
  closed: "The receiver or its inbox is closed, or was not started.",
  handler_exited: "A handler, or code it uses, called `process.exit`.",
  handler_timeout: "A handler did not finish in its time.",
  fixture_invalid: "A file is neither a saved delivery nor an envelope.",
  input_invalid: "A file or standard input does not hold what the command needs.",
  entry_unknown: "No entry of the inbox matches what was asked for.",
  directory_not_empty: "The folder to scaffold into already holds files.",
  template_unknown: "There is no template of that name.",
  target_unreachable: "The target did not answer.",
  target_refused: "The target answered, but not with a 2xx status.",
  port_unavailable: "The port cannot be listened on.",
  tunnel_failed: "The tunnel cannot be had.",
  credential_missing: "No API key, access token or authtoken was given.",
  credential_invalid: "The API key or access token cannot be used as it was given.",
  service_unauthorized: "The service does not accept the credential: status 401.",
  service_refused: "The service refuses the request: status 400, or another 4xx.",
  service_rate_limited: "The service's rate limit is reached: status 429.",
  service_failed: "The service failed: status 500, or another 5xx.",
  service_answer_invalid: "The service's answer is not what its description shows.",
  service_unreachable: "The service did not answer, or not to the end.",
  service_timeout: "The service did not answer in time.",
  stream_refused: "The server of a stream refuses it, or the stream cannot be opened.",
  timed_out: "What was waited for did not come in time.",
  usage: "The command line does not fit the command.",
} as const;

/** One of the stable error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes of a {@link ConfigurationError}. */
export type ConfigurationErrorCode =
  | "option_invalid"
  | "secret_missing"
  | "secret_empty"
  | "retention_too_short"
  | "body_already_parsed"
  | "inbox_unsupported"
  | "credential_missing"
  | "credential_invalid";

/** The codes with which an inbox rejects if its store fails. */
export type InboxErrorCode = Exclude<Extract<ErrorCode, `inbox_${string}`>, ConfigurationErrorCode>;

/** The codes that a receiver throws, rejects with or logs. */
export type ReceiverErrorCode =
  | Exclude<ConfigurationErrorCode, `credential_${string}`>
  | InboxErrorCode
  | "closed"
  | "handler_timeout";

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

/** The codes that a program meets. The others are the command line's. */
export type LibraryErrorCode = ReceiverErrorCode | ClientErrorCode | SandboxErrorCode | TestingErrorCode;

/** The base of every error hookporter throws on purpose: branch on `code`, show `message`. */
export class HookporterError extends Error {
  override readonly name: string = "HookporterError";
  /** Stable; safe to branch on. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The integrator's mistake: thrown at construction where it can be known there. Its message names the fix. */
export class ConfigurationError extends HookporterError {
  override readonly name = "ConfigurationError";
  declare readonly code: ConfigurationErrorCode;

  constructor(code: ConfigurationErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}

/** A one-line text for anything thrown, including `undefined`, strings and objects whose `message` throws. */
export function describeError(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    return typeof thrown === "string" ? thrown : `thrown: ${String(thrown)}`;
  } catch {
    return "thrown: a value that cannot be shown";
  }
}

/** Anything thrown as an error, so that it can be kept as one. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(describeError(thrown));
}
