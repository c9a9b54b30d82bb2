import { threeDigits } from "../numbers.ts";
import type { Against } from "../sections/against.ts";
import { type Comparable, ratio } from "../sections/measured.ts";
import { table } from "./table.ts";

const SHOWN = [
  { of: "perSecond", title: "per second" },
  { of: "cpu", title: "CPU µs" },
  { of: "p99", title: "p99 ms" },
] as const satisfies readonly { of: Comparable; title: string }[];

/**
 * This build, beside another: each number before and now, and the median of its ratio over the
 * pairs of processes.
 */
export function againstText({ before, compared }: Against, now: string): string {
  const head = SHOWN.flatMap(({ title }) => [title, "now", "×"]);
  const rows = compared.map((one) => [
    one.now.contestant,
    ...SHOWN.flatMap(({ of }) =>
      [one.before[of], one.now[of], ratio(one.now, one.before, of)].map(threeDigits),
    ),
  ]);
  const pairs = compared[0]?.now.rounds.length;
  return [
    `build ${now} beside hookporter ${before.version}, build ${before.build}; medians of ${pairs} pairs of processes`,
    "",
    table(["before, now, now × before", ...head], rows),
  ].join("\n");
}
