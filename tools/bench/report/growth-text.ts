import { threeDigits } from "../numbers.ts";
import type { Growth } from "../sections/growth.ts";
import { table } from "./table.ts";

/** The section for a terminal. */
export function growthText(growth: readonly Growth[]): string {
  const rows = growth.map((one) =>
    "leftOut" in one
      ? [one.what, `skipped: ${one.leftOut}`]
      : [one.what, ...[one.perSecond, one.ofEmpty, one.p99, one.p99OfEmpty].map(threeDigits)],
  );
  return table(["growth", "per second", "× empty", "p99 ms", "× empty"], rows);
}
