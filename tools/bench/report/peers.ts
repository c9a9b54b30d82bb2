import { threeDigits } from "../numbers.ts";
import type { Peers } from "../sections/peers.ts";
import type { Judged } from "./judged.ts";
import { table } from "./table.ts";

/** The section, as `docs/performance.md` has it. */
export function peersText(found: Peers): string {
  if ("leftOut" in found) return `peers: ${found.leftOut}`;
  const speed = found.map(({ what, received, handled, ours, p50, p99 }) => [
    what,
    ...[received, handled, ours?.handled ?? Number.NaN, p50, p99].map(threeDigits),
  ]);
  const costs = found.map(({ what, cpu, databaseCpu, statements, log, killed }) => [
    what,
    ...[cpu, databaseCpu, statements, log].map(threeDigits),
    `${killed.acknowledged - killed.handled} of ${threeDigits(killed.acknowledged)}`,
  ]);
  const [first] = found;
  return [
    table(["", "received per second", "handled", "hookporter ×", "p50 ms", "p99 ms"], speed),
    table(
      [
        "a delivery",
        "receiver µs",
        "database µs",
        "statements",
        "log bytes",
        `not handled ${first?.killed.seconds} s after kill -9`,
      ],
      costs,
    ),
  ].join("\n\n");
}

/** hookporter is to handle four times as many as each, and to answer no later. */
export function judgePeers(found: Peers | undefined): readonly Judged[] {
  if (found === undefined || "leftOut" in found) return [];
  return found.flatMap(({ what, ours, killed }) => {
    const lost = killed.acknowledged - killed.handled;
    if (ours === undefined) {
      return [
        { goal: `${what}: not handled after kill -9`, wanted: "0", got: lost, reached: lost === 0 },
      ];
    }
    return [
      {
        goal: `hookporter × ${what}`,
        wanted: "≥ 4",
        got: ours.handled,
        reached: ours.handled >= 4,
      },
      { goal: `its p99 × ${what}`, wanted: "≤ 1", got: ours.p99, reached: ours.p99 <= 1 },
    ];
  });
}
