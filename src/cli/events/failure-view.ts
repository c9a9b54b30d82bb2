import { countsText } from "../../inbox/counts.ts";
import type { FailureGroup } from "../../inbox/failures.ts";
import { ownCommand } from "../../package/own-command.ts";
import { timeText } from "../../text/time-text.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { wrapText } from "../wrap-text.ts";

const INDENT = "  ";

/** What entries failed with: the error, how many they are, and the command that retries them all. */
export function groupLines(group: FailureGroup, now: number, { color, columns }: Output): readonly string[] {
  const { words, at, seqs, kinds, since, failing, dead } = group;
  const many = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
  const facts = [
    many(seqs.length, "event"),
    countsText({ failing, dead }),
    kinds.length === 1 ? printable(kinds[0] ?? "", 60) : many(kinds.length, "kind"),
    `since ${timeText(since, now)}`,
  ];
  const width = Math.max(40, columns ?? Number.POSITIVE_INFINITY);
  const beneath = (text: string) => wrapText(text, width - INDENT.length).map((line) => INDENT + line);
  return [
    ...wrapText(color.red(printable(placed(words, at), 500)), width),
    ...beneath(facts.join(" · ")),
    ...beneath(color.dim(ownCommand(`events retry --like ${seqs.at(-1)}`))),
  ];
}

/** The record of `--json`. */
export function groupFields({ words, at, seqs, failing, dead, kinds, since }: FailureGroup): object {
  const from = new Date(since).toISOString();
  return { error: words, at, entries: seqs.length, failing, dead, kinds, since: from, like: seqs.at(-1) };
}

/** An error and its place in one line. */
export function placed(words: string, at: string | null): string {
  return at === null ? words : `${words} at ${at}`;
}
