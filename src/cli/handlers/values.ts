import { InvalidArgumentError } from "commander";
import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds } from "../../event/kinds.ts";
import { readTarget } from "../settings/values.ts";
import type { ForwardRule } from "./forward-rules.ts";

/** Readers of the option values that decide what happens to events. */

/** Reads `3000`, `3000/path`, a URL, or one of these after a pattern, such as `payment.*=3001`; a repeated flag adds to it. */
export function readForward(text: string, before: readonly ForwardRule[] = []): readonly ForwardRule[] {
  // A pattern contains none of the characters that precede a query in an address.
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
  throw new InvalidArgumentError("expected a path in the envelope, such as data.id.");
}
