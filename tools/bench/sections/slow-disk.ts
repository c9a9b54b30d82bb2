import type { Form } from "../form.ts";
import { ADDED_MS, slowFlush } from "../server/slow-flush.ts";
import type { Stage } from "../stage.ts";
import { interleave } from "./interleave.ts";
import { type Measured, measured } from "./measured.ts";

/** The cost of a slow disk, or why it could not be measured. */
export type SlowDisk =
  | { readonly leftOut: string }
  | {
      /** Milliseconds added to each flush. */
      readonly addedMs: number;
      /**
       * Median milliseconds of a lone delivery: at least the added ones, which shows that flushes
       * were slow.
       */
      readonly loneMs: number;
      /** The Express adapter with slow flushes, and plain Express, which does not flush. */
      readonly measured: readonly Measured[];
    };

const WHO = ["hookporter express, received only", "express plain"] as const;

/**
 * The Express adapter with slow flushes, next to plain Express: with many senders, they hardly
 * matter.
 */
export async function measureSlowDisk(
  stage: Stage,
  { rounds, seconds }: Form,
  tell: (line: string) => void,
): Promise<SlowDisk> {
  const slow = slowFlush(stage.node);
  if ("missing" in slow) {
    tell(`slow disk: skipped, ${slow.missing}`);
    return { leftOut: slow.missing };
  }
  const load = { size: 600, connections: 256 };
  tell(
    `slow disk, ${ADDED_MS} ms added to each flush, ${load.connections} connections: ${rounds} rounds`,
  );
  const ours = await stage.server("hookporter express, received only", { within: slow.command });
  const servers = [ours, await stage.server("express plain")];
  const all = await interleave(stage, servers, { ...load, rounds, seconds });
  const results = WHO.map((contestant, index) =>
    measured({ contestant, ...load, entries: 0 }, all[index] ?? []),
  );
  const { p50: loneMs } = await stage.load(ours, { ...load, connections: 1, seconds });
  await stage.clear();
  if (loneMs < ADDED_MS)
    throw new Error(`flushes were not slow: a lone delivery took ${loneMs} ms`);
  return { addedMs: ADDED_MS, loneMs, measured: results };
}
