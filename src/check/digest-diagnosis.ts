import type { CheckResult } from "./check-result.ts";
import { causeText, refusesSignature } from "./failed-alike.ts";

/** The case that tells a fault from others, and those that the same fault fails besides. */
const TELLING: readonly (readonly string[])[] = [
  ["SIG-31", "SIG-29", "SIG-30", "SIG-32"],
  ["SIG-32", "SIG-30"],
  ["SIG-29", "SIG-30"],
  ["SIG-30"],
  ["SIG-33"],
  ["SIG-34"],
];

/**
 * Why valid deliveries are refused at random: which digests the receiver computes or prints wrongly. One case is proof
 * enough, since all others avoid such digests.
 */
export function diagnoseDigests(results: readonly CheckResult[]): readonly string[] {
  const failed = new Map(
    results.filter((one) => one.outcome === "failed" && refusesSignature(one)).map((one) => [one.id, one]),
  );
  return TELLING.flatMap((ids) => {
    const alike = ids.flatMap((id) => failed.get(id) ?? []);
    const [first] = alike;
    if (first?.fix == null || first.id !== ids[0]) return [];
    for (const { id } of alike) failed.delete(id);
    return [causeText(first.fix, alike)];
  });
}
