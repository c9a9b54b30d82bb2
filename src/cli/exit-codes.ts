import type { AnyErrorCode } from "../base/errors.ts";

/** The exit codes and their meanings. A test compares them with `docs/reference/cli/index.md`. */
export const EXIT_CODES = {
  0: "ok",
  1: "a check, delivery or request failed",
  2: "usage: a mistake in the command line, or in a file or entry it names",
  3: "a problem with the configuration or the secret",
  4: "the signature is invalid",
  5: "a problem with the network, target, port or tunnel",
  6: "timed out waiting",
  7: "what was waited for was not handled: it is failing, dead, or has no handler",
  129: "the terminal was closed before the goal",
  130: "interrupted (Ctrl-C) before the goal",
  143: "terminated before the goal",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** The errors with each exit code. */
const ERRORS = {
  1: [
    "closed",
    "handler_exited",
    "handler_timeout",
    "tx_ended",
    "target_refused",
    "service_refused",
    "service_rate_limited",
    "service_failed",
    "service_answer_invalid",
  ],
  2: [
    "fixture_invalid",
    "input_invalid",
    "entry_unknown",
    "directory_not_empty",
    "template_unknown",
    "usage",
  ],
  3: [
    "option_invalid",
    "secret_missing",
    "secret_empty",
    "secret_unsafe",
    "secret_invalid",
    "retention_too_short",
    "body_already_parsed",
    "handlers_invalid",
    "config_invalid",
    "config_untrusted",
    "folder_unusable",
    "inbox_unsupported",
    "inbox_client_missing",
    "inbox_unavailable",
    "disk_full",
    "disk_error",
    "inbox_read_only",
    "inbox_busy",
    "inbox_corrupt",
    "inbox_rescuing",
    "inbox_newer",
    "inbox_older",
    "tunnel_client_missing",
    "credential_missing",
    "credential_invalid",
    "service_unauthorized",
  ],
  5: [
    "inbox_unreachable",
    "target_unreachable",
    "port_unavailable",
    "tunnel_failed",
    "service_unreachable",
    "stream_refused",
  ],
  6: ["service_timeout", "timed_out"],
} as const satisfies Partial<Record<ExitCode, readonly AnyErrorCode[]>>;
type Listed = (typeof ERRORS)[keyof typeof ERRORS][number];

/** The exit code of each error. The type requires every error code, so that none is forgotten. */
export const ERROR_EXIT_CODES: Readonly<Record<AnyErrorCode, ExitCode>> = Object.fromEntries(
  Object.entries(ERRORS).flatMap(([exit, codes]) => codes.map((code) => [code, Number(exit)])),
) as Record<Listed, ExitCode>;
