import { ConfigurationError } from "../errors.ts";
import { eventKinds } from "./kinds.ts";

const PATTERN = /^(?:\*|[^\s*]+\.\*|[^\s*]+)$/;

/** Whether a kind fits a pattern: a kind itself, `property.*` for a family, `*` for all. */
export function matchesKind(pattern: string, kind: string): boolean {
  if (pattern === "*" || pattern === kind) return true;
  return pattern.endsWith(".*") && kind.startsWith(pattern.slice(0, -1));
}

/**
 * Refuses a pattern that can never match one of the 12 kinds, which is nearly always a typing error. Kinds the service
 * adds later are reached with `*` or `onUnknown`.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function checkKindPattern(pattern: string): void {
  if (PATTERN.test(pattern) && eventKinds.some((kind) => matchesKind(pattern, kind))) return;
  throw new ConfigurationError(
    "option_invalid",
    `expected an event kind, a family such as payment.*, or *; got ${JSON.stringify(pattern)}: ` +
      `the kinds are ${eventKinds.join(", ")}`,
  );
}
