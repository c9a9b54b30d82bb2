import { type Check, checkMethods, checkOptions, invalid } from "../../options/check-options.ts";
import { checkDrain } from "../options/drain-options.ts";

const CHECKS: Readonly<Record<"path", Check>> = {
  path: (given, name) => {
    if (typeof given === "string" && given.startsWith("/")) return;
    throw invalid(`${name} to begin with a slash`, given, "pass one such as /webhooks");
  },
};

/** An option of adapters for places where no process is kept running. */
export const DRAIN: Readonly<Record<"drain", Check>> = {
  drain: (given, name) => checkDrain(given, name),
};

/**
 * Refuses what an adapter cannot work with, before the first request does.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function checkAdapter(
  receiver: unknown,
  options: unknown,
  adapter: string,
  { more = {}, required = ["receive"] }: { more?: Record<string, Check>; required?: readonly string[] } = {},
): void {
  const expected = `the first argument of ${adapter} to be a receiver`;
  checkMethods(receiver, expected, { required, fix: "pass the result of createReceiver" });
  checkOptions(options, `the options of ${adapter}`, { ...CHECKS, ...more });
}
