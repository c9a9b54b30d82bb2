/**
 * Options of users come in. Checked values go out, or what was expected instead. No misspelt
 * option is passed over.
 */

import { types } from "node:util";
import { ConfigurationError } from "../errors.ts";
import { isRecord } from "../guards.ts";
import { describeValue } from "./describe-value.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * Checks an option that was given.
 *
 * @throws ConfigurationError `option_invalid` if it cannot work
 */
export type Check = (given: unknown, name: string) => void;

/**
 * Checks all options against a table with a check for each. `undefined` means the default, so it is
 * not checked.
 *
 * @param what - what the options are, for messages
 * @param prefix - what an option's name begins with in messages, such as `retry.`
 * @throws ConfigurationError `option_invalid` for anything but an object, for a name that is not in
 * the table, and as the checks say
 */
export function checkOptions(
  given: unknown,
  what: string,
  checks: Readonly<Record<string, Check>>,
  prefix = "",
): void {
  const names = Object.keys(checks);
  if (!isRecord(given)) throw invalid(`${what} to be an object`, given, `pass { ${names[0]}: … }`);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(checks, name)) continue;
    const meant = didYouMean(name, names);
    const fix =
      meant === undefined ? `the known ones are ${names.join(", ")}` : `did you mean ${meant}?`;
    throw invalidOption(
      `expected only known names in ${what}, got ${JSON.stringify(name)}: ${fix}`,
    );
  }
  for (const [name, check] of Object.entries(checks)) {
    const value = given[name];
    if (value !== undefined) check(value, prefix + name);
  }
}

/** A function whose result is used at once, so that it cannot be a promise. */
export function syncFunction(fix: string): Check {
  return (given, name) => {
    checkFunction(given, name, fix);
    if (types.isAsyncFunction(given))
      throw invalid(`${name} to be a synchronous function`, given, fix);
  };
}

/** Refuses anything but a function. */
export function checkFunction(given: unknown, name: string, fix: string): void {
  if (typeof given !== "function") throw invalid(`${name} to be a function`, given, fix);
}

/** A function, async or not. */
export function anyFunction(fix: string): Check {
  return (given, name) => checkFunction(given, name, fix);
}

/** `true` or `false`: a text such as "false" would count as true. */
export const aBoolean: Check = (given, name) => {
  if (typeof given !== "boolean")
    throw invalid(`${name} to be true or false`, given, "pass one of them");
};

/** For an option that other code checks. */
export const checkedElsewhere: Check = () => {};

/** A number that passes a test. */
export function aNumber(range: string, fits: (value: number) => boolean): Check {
  return (given, name) => {
    if (typeof given === "number" && fits(given)) return;
    throw invalid(
      `${name} to be ${range}`,
      given,
      "pass such a number, or leave it out for the default",
    );
  };
}

/** The longest delay of a Node timer; a longer one fires at once. */
export const MAX_TIMER = 2 ** 31 - 1;

/** A whole number. */
export function wholeNumber(unit: string, from: number, to = Number.MAX_SAFE_INTEGER): Check {
  const range = `a whole number of ${unit} from ${from} to ${to}`;
  return aNumber(range, (value) => Number.isInteger(value) && value >= from && value <= to);
}

/** One of a few strings. */
export function oneOf(...allowed: readonly string[]): Check {
  const choices = allowed.map((text) => JSON.stringify(text)).join(" or ");
  return (given, name) => {
    if (typeof given === "string" && allowed.includes(given)) return;
    const meant = typeof given === "string" ? didYouMean(given, allowed) : undefined;
    const fix = meant === undefined ? "pass one of them" : `did you mean ${JSON.stringify(meant)}?`;
    throw invalid(`${name} to be ${choices}`, given, fix);
  };
}

/** A string that is not empty. */
export function nonEmptyString(fix: string): Check {
  return (given, name) => {
    if (typeof given !== "string" || given === "")
      throw invalid(`${name} to be a non-empty string`, given, fix);
  };
}

/** Checks that an object has its methods. */
export function checkMethods(
  given: unknown,
  expected: string,
  { required, fix }: { readonly required: readonly string[]; readonly fix: string },
): void {
  if ((typeof given !== "object" && typeof given !== "function") || given === null) {
    throw invalid(expected, given, fix);
  }
  const method = (name: string): unknown => Reflect.get(given, name, given);
  const wrong = required.filter((name) => typeof method(name) !== "function");
  if (wrong.length === 0) return;
  throw invalidOption(
    `expected ${expected}, got ${describeValue(given)} without the methods ${wrong.join(", ")}: ${fix}`,
  );
}

/**
 * The error for an invalid option. It shows the kind of value, not the value, which may be a
 * secret.
 */
export function invalid(expected: string, given: unknown, fix: string): ConfigurationError {
  return invalidOption(`expected ${expected}, got ${describeValue(given)}: ${fix}`);
}

/** The same in words of its own. */
export function invalidOption(message: string): ConfigurationError {
  return new ConfigurationError("option_invalid", message);
}
