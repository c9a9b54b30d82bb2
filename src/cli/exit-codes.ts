import type { ErrorCode } from "../errors.ts";

/** The exit codes and their meanings. A test compares them with `docs/cli.md`. */
export const EXIT_CODES = {
  0: "ok",
  1: "a check, delivery or request failed",
  2: "usage: a mistake in the command line, or in a file or entry it names",
  3: "a problem with the configuration or the secret",
  4: "the signature is invalid",
  5: "a problem with the network, target, port or tunnel",
  6: "timed out waiting",
  130: "interrupted (Ctrl-C) before the goal",
  143: "terminated before the goal",
} as const;

/** One of the exit codes. */
export type ExitCode = keyof typeof EXIT_CODES;

/** The exit code of each error. The type requires every error code, so that none is forgotten. */
export const ERROR_EXIT_CODES: Readonly<Record<ErrorCode, ExitCode>> = {
  option_invalid: 3,
  secret_missing: 3,
  secret_empty: 3,
  secret_unsafe: 3,
  secret_invalid: 3,
  retention_too_short: 3,
  body_already_parsed: 3,
  handlers_invalid: 3,
  config_invalid: 3,
  folder_unusable: 3,
  inbox_unsupported: 3,
  inbox_client_missing: 3,
  inbox_unavailable: 3,
  inbox_unreachable: 5,
  inbox_busy: 3,
  inbox_corrupt: 3,
  inbox_newer: 3,
  inbox_older: 3,
  closed: 1,
  handler_exited: 1,
  handler_timeout: 1,
  fixture_invalid: 2,
  input_invalid: 2,
  entry_unknown: 2,
  directory_not_empty: 2,
  template_unknown: 2,
  target_unreachable: 5,
  target_refused: 1,
  port_unavailable: 5,
  tunnel_failed: 5,
  credential_missing: 3,
  credential_invalid: 3,
  service_unauthorized: 3,
  service_refused: 1,
  service_rate_limited: 1,
  service_failed: 1,
  service_answer_invalid: 1,
  service_unreachable: 5,
  service_timeout: 6,
  subscription_unconfirmed: 1,
  stream_refused: 5,
  timed_out: 6,
  usage: 2,
};
