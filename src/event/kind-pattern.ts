import { ConfigurationError } from "../errors.ts";
import { eventKinds } from "./kinds.ts";

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
  if (eventKinds.some((kind) => matchesKind(pattern, kind))) return;
  throw new ConfigurationError(
    "option_invalid",
    `expected an event kind, a family such as payment.*, or *; got ${JSON.stringify(pattern)}: ` +
      `the kinds are ${eventKinds.join(", ")}`,
  );
}
