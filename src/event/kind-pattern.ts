import { invalidOption } from "../base/options/check-options.ts";
import { describeValue } from "../base/options/describe-value.ts";
import { didYouMean } from "../base/options/did-you-mean.ts";
import { type EventKind, eventKinds, isEventKind } from "./kinds.ts";

/** Whether a kind matches a pattern: a kind, `property.*` for a family, or `*` for all. */
export function matchesKind(pattern: string, kind: string): boolean {
  if (pattern === "*" || pattern === kind) return true;
  return pattern.endsWith(".*") && kind.startsWith(pattern.slice(0, -1));
}

/**
 * Refuses a pattern that matches no known kind, by default of the 12, with `option_invalid`: it is
 * likely misspelt.
 */
export function checkKindPattern(pattern: string, known: readonly string[] = eventKinds): void {
  const isString = typeof pattern === "string"; // plain JavaScript may pass anything
  if (isString && known.some((kind) => matchesKind(pattern, kind))) return;
  const got = isString ? JSON.stringify(pattern) : describeValue(pattern);
  throw invalidOption(
    `expected an event kind, a family such as payment.*, or *, got ${got}: ${meantKind(pattern, known)}`,
  );
}

/** Refuses anything but one of the 12 kinds with a ConfigurationError `option_invalid`. */
export function checkEventKind(kind: unknown): asserts kind is EventKind {
  if (typeof kind === "string" && isEventKind(kind)) return;
  const got = typeof kind === "string" ? JSON.stringify(kind) : describeValue(kind);
  throw invalidOption(`expected an event kind, got ${got}: ${meantKind(kind)}`);
}

function meantKind(kind: unknown, known: readonly string[] = eventKinds): string {
  const meant = typeof kind === "string" ? didYouMean(kind, known) : undefined;
  return meant === undefined ? `the kinds are ${known.join(", ")}` : `did you mean ${meant}?`;
}
