import type { Envelope } from "../event/envelope.ts";
import type { EventKind } from "../event/kinds.ts";
import { type SampleOptions, sampleEvent as sampleAt } from "../event/sample.ts";

/** The secret of every test receiver. It is public, so it protects nothing. */
export const TEST_SECRET = "hookporter-testing-secret-that-everybody-knows";

/** Timestamps of samples: no two in one process are the same. */
export const nextInstant = strictlyIncreasing(() => Date.now());

/**
 * Returns a new sample envelope of a kind, which may be modified. It is dated now, and no two
 * samples have the same millisecond, so two calls make two events. For a duplicate, deliver one
 * envelope twice.
 *
 * Only `data` of `property.created` is documented (service description, "Property"); other `data`
 * is invented.
 *
 * @example
 * ```ts
 * import { sampleEvent } from "hookporter/testing";
 *
 * const envelope = sampleEvent("payment.received", { data: { amount: "12.00" } });
 * ```
 */
export function sampleEvent(kind: EventKind, options: SampleOptions = {}): Envelope {
  const { timestamp = nextInstant() } = options;
  return sampleAt(kind, { ...options, timestamp });
}

/**
 * A clock that never returns the same instant twice, unless it was set back by a minute or more.
 */
export function strictlyIncreasing(clock: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  let before = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    last = now > last || before - now >= 60_000 ? now : last + 1;
    before = now;
    return last;
  };
}
