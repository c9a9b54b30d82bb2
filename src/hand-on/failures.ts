import { isRecord } from "../base/is-record.ts";
import { invalid } from "../options/check-options.ts";

/**
 * What `send` returned, as errors by message id.
 *
 * @throws ConfigurationError `option_invalid` if it returned anything but nothing or failures of this batch: nobody knows
 * then what was handed on
 */
export function readFailures(result: unknown, ids: ReadonlySet<string>): ReadonlyMap<string, unknown> {
  if (result === undefined) return NONE;
  if (!Array.isArray(result)) throw misread(result);
  const failures = new Map<string, unknown>();
  for (const failure of result) {
    if (!isRecord(failure) || typeof failure.id !== "string" || !("error" in failure)) throw misread(failure);
    if (!ids.has(failure.id)) {
      throw invalid("send to name messages of its batch", failure.id, "return their own id");
    }
    failures.set(failure.id, failure.error);
  }
  return failures;
}

const NONE: ReadonlyMap<string, unknown> = new Map();

function misread(given: unknown) {
  return invalid(
    "send to return nothing or a list of { id, error }",
    given,
    "return nothing if all messages were handed on",
  );
}
