import { durationText } from "../../base/text/duration-text.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import { failureOf } from "../../inbox/failures.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { durationOf, lastRunsOf } from "../../inbox/outline.ts";
import { summariseEntry } from "../../inspector/entries/summarise-entry.ts";
import type { CliContext } from "../context.ts";
import { entryFields, errorText } from "../events/entry-view.ts";
import type { ExitCode } from "../exit-codes.ts";
import { MARKS } from "../live/row.ts";
import { type Output, printable } from "../output.ts";

/** Milliseconds that `--wait` and `events wait` wait. */
export const WAIT = 30_000;

/** The states in which something can be said of an entry. */
export const DECIDED = [
  "handled",
  "failing",
  "dead",
  "received",
] as const satisfies readonly EntryState[];

/** What became of an entry: what `--wait`, `events wait` and the tools for agents report. */
export interface EntryOutcome {
  readonly entry: Entry;
  readonly state: EntryState;
  /** The runs of its last attempt; none if no handler has run. */
  readonly runs: readonly AttemptRecord[];
}

/** Characters of an error, or of what a target answered, in a line. */
const LINE = 500;

/** Prints what became of an entry; returns its state. */
export async function reportOutcome(
  inbox: Inbox,
  entry: Entry,
  { output, clock }: CliContext,
): Promise<EntryState> {
  const state = entry.state;
  const outcome = { entry, state, runs: lastRunsOf(await inbox.attempts(entry.seq)) };
  for (const line of outcomeLines(outcome, clock(), output)) output.data(line);
  output.record("outcome", outcomeFields(outcome));
  return state;
}

/** The exit code for what was waited for: 0 only if all of it was handled. */
export function exitCodeOf(states: readonly EntryState[]): ExitCode {
  return states.every((state) => state === "handled") ? 0 : 7;
}

/**
 * `dead #12 payment.received TypeError: … at handlers/pay.ts:3:9`, and below it how to fix it.
 */
function outcomeLines(outcome: EntryOutcome, now: number, { color }: Pick<Output, "color">) {
  const { entry, state } = outcome;
  const { words, at, note, duration, fix } = facts(outcome);
  const parts = [
    words === null ? "" : printable(words, LINE),
    at === null ? "" : `at ${printable(at, LINE)}`,
    duration === null ? "" : `${duration} ms`,
    note === null ? "" : printable(note.trim().split("\n", 1)[0] ?? "", LINE),
    state === "failing" ? `next attempt in ${durationText(Math.max(0, entry.runAt - now))}` : "",
  ].filter((part) => part !== "");
  const kind = printable(entry.kind ?? "-", 40);
  const line = `${color[MARKS[state][1]](state.padEnd(9))} #${entry.seq} ${kind}  ${parts.join("  ")}`;
  return fix === null ? [line] : [line, `    fix: ${printable(fix, LINE)}`];
}

function outcomeFields(outcome: EntryOutcome): object {
  const { entry, runs } = outcome;
  const { words, at, fix } = facts(outcome);
  const { seq, id, source, kind, state, reason, problems, attempts, runAt } = entryFields(entry);
  const last = runs.map(({ handler, outcome: end, duration, error, failure, note }) => {
    return { handler, outcome: end, duration, error, at: failure?.at ?? null, note };
  });
  return {
    seq,
    id,
    source,
    kind,
    state,
    reason,
    problems,
    attempts,
    runAt,
    error: words,
    at,
    runs: last,
    fix,
  };
}

/**
 * What is said of an outcome: its error and place, or how long it took and what its target
 * answered.
 */
function facts({ entry, state, runs }: EntryOutcome) {
  const failed = runs.find(({ error }) => error !== null);
  const failure = state === "handled" || failed !== undefined ? undefined : failureOf(entry, []);
  const { fix } = summariseEntry(entry);
  const note = runs.find((run) => run.note !== null)?.note ?? null;
  const duration = durationOf(runs);
  return {
    words: failed === undefined ? (failure?.words ?? null) : errorText(failed),
    at: failed?.failure?.at ?? null,
    note,
    duration: duration === null ? null : Math.round(duration * 10) / 10,
    fix,
  };
}
