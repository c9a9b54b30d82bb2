import { type Check, checkMethods, checkOptions, invalid } from "../base/options/check-options.ts";
import { checkDrain } from "../receiver/options/drain-options.ts";

const checkPath: Check = (given, name) => {
  if (typeof given === "string" && /^\/[^?#\s]*$/.test(given)) return;
  const fix = "pass only the path, such as /webhooks; any query is accepted";
  throw invalid(`${name} to begin with a slash and to have no query`, given, fix);
};

const CHECKS = { path: checkPath };

/** With the option of adapters for places where no process is kept running. */
const DRAINING_CHECKS = {
  ...CHECKS,
  drain: (given: unknown, name: string) => checkDrain(given, name),
};

/**
 * Refuses what an adapter cannot work with, before the first request does; `mayDrain`: whether it
 * has the option `drain`.
 */
export function checkAdapter(
  receiver: unknown,
  options: object,
  adapter: string,
  mayDrain = false,
): void {
  const expected = `the first argument of ${adapter} to be a receiver`;
  const drains = mayDrain && Reflect.get(Object(options), "drain") !== undefined;
  const required = drains ? ["receive", "drain"] : ["receive"];
  checkMethods(receiver, expected, { required, fix: "pass the result of createReceiver" });
  checkOptions(options, `the options of ${adapter}`, mayDrain ? DRAINING_CHECKS : CHECKS);
}
