import { threeDigits } from "../numbers.ts";
import type { Growth } from "../sections/growth.ts";
import { table } from "./table.ts";

/** The section for a terminal. */
export function growthText(growth: readonly Growth[]): string {
  const rows = growth.map((growth) =>
    "leftOut" in growth
      ? [growth.what, `skipped: ${growth.leftOut}`]
      : [
          growth.what,
          ...[growth.perSecond, growth.ofEmpty, growth.p99, growth.p99OfEmpty].map(threeDigits),
        ],
  );
  return table(["growth", "per second", "× empty", "p99 ms", "× empty"], rows);
}
