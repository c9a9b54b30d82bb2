import { asError, ConfigurationError, describeError } from "../errors.ts";
import type { Settings } from "./options/options.ts";
import type { Misconfigured } from "./outcome.ts";

/** Logs why 500 is answered, and returns that outcome. A logger that fails must not cost the sender its answer. */
export function misconfigured(thrown: unknown, { log }: Pick<Settings, "log">): Misconfigured {
  const error = asError(thrown);
  const code = error instanceof ConfigurationError ? error.code : undefined;
  try {
    log.error({ code }, `answered 500: ${describeError(error)}`);
  } catch {}
  return { type: "misconfigured", error };
}
