import type { SenderRecord } from "../inbox/senders.ts";
import { timeText } from "../text/time-text.ts";

/**
 * What there is to say about signatures of a source that match no secret: `1 305 refused since 08:44, none accepted since
 * 08:43: was the secret changed?`. `undefined` if authentic ones have come since.
 */
export function mismatchText(record: SenderRecord, now: number): string | undefined {
  const { authenticAt, mismatches } = record;
  if (mismatches === undefined) return undefined;
  const { count, from } = mismatches;
  const refused = `${String(count).replaceAll(/\B(?=(\d{3})+$)/g, " ")} refused since ${timeText(from, now)}`;
  if (authenticAt === undefined) return `${refused}, none accepted yet: is the secret the sender's?`;
  return `${refused}, none accepted since ${timeText(authenticAt, now)}: was the secret changed?`;
}
