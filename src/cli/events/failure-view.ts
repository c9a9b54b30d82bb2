import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import { timeText } from "../../base/text/time-text.ts";
import { countsText } from "../../inbox/counts.ts";
import type { FailureGroup } from "../../inbox/failures.ts";
import { type Output, printable } from "../output.ts";
import { hangingLines } from "../wrap-text.ts";

/**
 * What entries failed with: the error, how many they are, and the command that retries them all.
 */
export function groupLines(
  group: FailureGroup,
  now: number,
  { color, columns }: Output,
): readonly string[] {
  const { words, at, seqs, kinds, since, failing, dead } = group;
  const facts = [
    counted(seqs.length, "event", "events"),
    countsText({ failing, dead }),
    kinds.length > 1 ? `${kinds.length} kinds` : printable(kinds[0] ?? "not an event", 60),
    `since ${timeText(since, now)}`,
  ];
  return [
    ...hangingLines("", color.red(printable(placed(words, at), 500)), 0, columns),
    ...hangingLines("  ", facts.join(" · "), 2, columns),
    ...hangingLines("  ", color.dim(ownCommand(`events retry --like ${seqs.at(-1)}`)), 2, columns),
  ];
}

export function groupFields({
  words,
  at,
  seqs,
  failing,
  dead,
  kinds,
  since,
}: FailureGroup): object {
  const from = new Date(since).toISOString();
  return {
    error: words,
    at,
    entries: seqs.length,
    failing,
    dead,
    kinds,
    since: from,
    like: seqs.at(-1),
  };
}

export function placed(words: string, at: string | null): string {
  return at === null ? words : `${words} at ${at}`;
}
