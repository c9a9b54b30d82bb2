import { types } from "node:util";
import { isPromiseLike } from "../guards.ts";

/**
 * What a value is, for a message about one that was not expected. Strings are not shown, nor what
 * an object holds: any of them may be a secret.
 */
export function describeValue(value: unknown): string {
  if (value === "") return "an empty string";
  if (typeof value === "string") return "a string";
  if (typeof value === "function")
    return types.isAsyncFunction(value) ? "an async function" : "a function";
  if (typeof value === "bigint" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  return isPromiseLike(value) ? "a promise" : "an object";
}
