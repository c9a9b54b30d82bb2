import { ConfigurationError } from "../errors.ts";
import { describeValue } from "../options/describe-value.ts";
import { didYouMean } from "../options/did-you-mean.ts";
import { eventKinds } from "./kinds.ts";

const PATTERN = /^(?:\*|[^\s*]+\.\*|[^\s*]+)$/;

/** Whether a kind matches a pattern: a kind, `property.*` for a family, or `*` for all. */
export function matchesKind(pattern: string, kind: string): boolean {
  if (pattern === "*" || pattern === kind) return true;
  return pattern.endsWith(".*") && kind.startsWith(pattern.slice(0, -1));
}

/**
 * Refuses a pattern that matches none of the 12 kinds, since that is nearly always a typing error. Use `*` or `onUnknown`
 * for kinds that the service adds later.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function checkKindPattern(pattern: string): void {
  const isString = typeof pattern === "string"; // plain JavaScript may pass anything
  if (isString && PATTERN.test(pattern) && eventKinds.some((kind) => matchesKind(pattern, kind))) return;
  const got = isString ? JSON.stringify(pattern) : describeValue(pattern);
  throw new ConfigurationError(
    "option_invalid",
    `expected an event kind, a family such as payment.*, or *, got ${got}: ${meantKind(pattern)}`,
  );
}

/** The fix for a misspelt kind. */
export function meantKind(kind: unknown): string {
  const meant = typeof kind === "string" ? didYouMean(kind, eventKinds) : undefined;
  return meant === undefined ? `the kinds are ${eventKinds.join(", ")}` : `did you mean ${meant}?`;
}
