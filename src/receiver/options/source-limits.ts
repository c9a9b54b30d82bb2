import { isRecord } from "../../base/guards.ts";
import {
  type Check,
  checkOptions,
  invalid,
  wholeNumber,
} from "../../base/options/check-options.ts";
import type { SourceLimits } from "./receiver-options.ts";

const CHECKS: Readonly<Record<keyof SourceLimits, Check>> = {
  concurrency: wholeNumber("entries", 1),
  maxPending: wholeNumber("entries", 1),
};

/** Limits of every source, also of those that this receiver does not have. */
export const checkSources: Check = (given) => {
  if (!isRecord(given)) {
    throw invalid(
      "sources to be an object from source to its limits",
      given,
      "pass { [source]: { … } }",
    );
  }
  for (const [source, limits] of Object.entries(given)) {
    const name = `sources[${JSON.stringify(source)}]`;
    if (limits !== undefined) checkOptions(limits, name, CHECKS, `${name}.`);
  }
};

export function limitsOf(
  sources: Readonly<Record<string, SourceLimits>> | undefined,
  source: string,
) {
  return sources !== undefined && Object.hasOwn(sources, source) ? (sources[source] ?? {}) : {};
}
