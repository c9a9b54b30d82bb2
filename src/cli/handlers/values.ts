import { InvalidArgumentError } from "commander";
import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds } from "../../event/kinds.ts";
import { readTarget } from "../settings/values.ts";
import type { ForwardRule } from "./forward-rules.ts";

/** Readers of the values of options that say what is done with events. */

/** Reads `3000`, `3000/path`, a URL, or any of them behind a pattern, such as `payment.*=3001`; given again, it adds to the list. */
export function readForward(text: string, before: readonly ForwardRule[] = []): readonly ForwardRule[] {
  // A pattern has none of the signs that come before a query in an address.
  const [, pattern = null, address = text] = /^([^=:/?#@]*)=(.*)$/.exec(text) ?? [];
  if (pattern !== null && !eventKinds.some((kind) => matchesKind(pattern, kind))) {
    throw new InvalidArgumentError(
      `expected a kind or family such as payment.* before the "="; the kinds are ${eventKinds.join(", ")}.`,
    );
  }
  return [...before, { pattern, target: readTarget(address) }];
}

/** Reads a path into the envelope, such as `data.id`. */
export function readOrderPath(text: string): string {
  if (/^[^\s.]+(?:\.[^\s.]+)*$/.test(text)) return text;
  throw new InvalidArgumentError("expected a path into the event, such as data.id.");
}
