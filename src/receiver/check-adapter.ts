import { type Check, checkMethods, checkOptions, invalid } from "../options/check-options.ts";

/** The options that adapters have in common. */
const CHECKS: Readonly<Record<"path", Check>> = {
  path: (given, name) => {
    if (typeof given === "string" && given.startsWith("/")) return;
    throw invalid(`${name} to begin with a slash`, given, "pass one such as /webhooks");
  },
};

/**
 * Refuses what an adapter cannot work with, before the first request does.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function checkAdapter(receiver: unknown, options: unknown, adapter: string): void {
  const expected = `the first argument of ${adapter} to be a receiver`;
  checkMethods(receiver, expected, { required: ["receive"], fix: "pass the result of createReceiver" });
  checkOptions(options, `the options of ${adapter}`, CHECKS);
}
