import { diag } from "@opentelemetry/api";

/**
 * Calls what a sampler or a processor of the user's SDK may fail in. That must not cost a delivery, so failures go to
 * OpenTelemetry's own diagnostics.
 */
export function despiteSdk<Result>(call: () => Result, otherwise: Result): Result {
  try {
    return call();
  } catch (thrown) {
    diag.error("hookporter: a span could not be made", thrown);
    return otherwise;
  }
}
