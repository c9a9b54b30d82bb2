import type { Delivery } from "../event/delivery.ts";
import { readEnvelope } from "../event/read-envelope.ts";
import type { Entry } from "./entry.ts";

/** What is wrong with an entry's data: what made it a dead letter, or the numbers in its delivery that a double does not hold. */
export function problemsOf({ problems }: Pick<Entry, "problems">, delivery: Delivery | undefined) {
  if (problems.length > 0 || delivery === undefined) return problems;
  const read = readEnvelope(delivery.body);
  return read.ok ? read.inexact : [];
}
