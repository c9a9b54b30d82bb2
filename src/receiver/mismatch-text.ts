import { timeText } from "../base/text/time-text.ts";
import { ENOUGH_BODIES, type SenderRecord } from "../inbox/senders.ts";

/**
 * `1 305 refused since 08:44, none accepted since 08:43: was the secret
 * changed?`, of signatures that match no secret.
 */
export function mismatchText({ authenticAt, mismatches }: SenderRecord, now: number): string {
  const { count = 0, from = now } = mismatches ?? {};
  const refused = `${count.toLocaleString("en").replaceAll(",", " ")} refused since ${timeText(from, now)}`;
  if (authenticAt === undefined)
    return `${refused}, none accepted yet: is the secret the sender's?`;
  return `${refused}, none accepted since ${timeText(authenticAt, now)}: was the secret changed?`;
}

export interface MismatchedSource {
  readonly record: SenderRecord;
  readonly text: string;
}

/** The sources worth a word, since several bodies were refused and nothing accepted since. */
export function mismatchedSources(records: readonly SenderRecord[], now: number) {
  return records
    .filter(({ mismatches }) => (mismatches?.bodies ?? 0) >= ENOUGH_BODIES)
    .map((record) => {
      const source = records.length > 1 ? `source ${record.source}: ` : "";
      return { record, text: source + mismatchText(record, now) };
    });
}
