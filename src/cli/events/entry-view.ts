import { counted } from "../../base/text/counted.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { problemLine } from "../../event/data-problems.ts";
import type { Delivery } from "../../event/delivery.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { Entry } from "../../inbox/entry.ts";
import { problemsOf } from "../../inbox/failures.ts";
import type { TargetWait } from "../../inbox/target-wait.ts";
import { summarise } from "../../inspector/live/verdict.ts";
import { MARKS } from "../live/row.ts";
import { type Output, printable } from "../output.ts";
import { columnsOf, cutToColumns, hangingLines, padToColumns } from "../wrap-text.ts";

export function printEntry(entry: Entry, now: number, output: Output): void {
  output.data(entryLine(entry, now, output));
  output.record("entry", entryFields(entry));
}

export function entryFields(entry: Entry) {
  const { seq, key, kind, reason, problems, attempts, duplicates, bodyHash, bodyLength } = entry;
  const state = entry.state;
  return {
    seq,
    id: key.eventId,
    source: key.source,
    kind,
    state,
    reason,
    problems,
    attempts,
    duplicates,
    timestamp: iso(entry.eventTimestamp),
    receivedAt: iso(entry.receivedAt),
    lastSeenAt: iso(entry.lastSeenAt),
    runAt: iso(entry.runAt),
    settledAt: iso(entry.settledAt),
    finishedHandlers: entry.finishedHandlers,
    waits: entry.waits.map((wait) => ({
      ...wait,
      since: iso(wait.since),
      nextAt: iso(wait.nextAt),
    })),
    bodyHash,
    bodyLength,
  };
}

export function runFields(runs: readonly AttemptRecord[]): readonly object[] {
  return runs.map((run) => ({ ...run, startedAt: iso(run.startedAt) }));
}

/**
 * A run's error with its name, unless that is just `Error`:
 * `TypeError: Cannot read properties of undefined`.
 */
export function errorText({ error, failure }: Pick<AttemptRecord, "error" | "failure">): string {
  const name = failure?.name ?? "Error";
  // An error of ours says what an app answered: it is not our fault.
  return name.endsWith("Error") && name !== "Error" && name !== "HookporterError"
    ? `${name}: ${error}`
    : (error ?? "");
}

/** Columns of an event id, beside notes, on a terminal that is too narrow for the whole line. */
const SHORT_ID = 12;

/**
 * An entry as one line. On a terminal that is too narrow for it, its time is a time ago, and its id
 * and what is to be said of it are cut: `events show` has it all, and the beginning of an id names
 * the entry too.
 */
function entryLine(
  entry: Entry,
  now: number,
  { color, columns = Number.POSITIVE_INFINITY }: Pick<Output, "color" | "columns">,
): string {
  const { seq, kind, key, reason, problems, attempts, duplicates, waits, settledAt, receivedAt } =
    entry;
  const state = entry.state;
  const notes = [
    problems.length === 0 ? reason : `${reason}: ${printable(summarise(problems), 120)}`,
    attempts > 0 && state !== "received" ? counted(attempts, "attempt", "attempts") : null,
    waits.length > 0 && settledAt === null ? waitText(waits) : null,
    duplicates > 0 ? counted(duplicates, "duplicate", "duplicates") : null,
  ]
    .filter((part) => part !== null)
    .join(", ");
  const line = (received: string, id: string, more: string) =>
    [
      color.dim(`#${seq}`.padStart(5)),
      received,
      color[MARKS[state][1]](state.padEnd(9)),
      padToColumns(printable(kind ?? "-", 40), 20),
      color.dim(id),
      more,
    ]
      .join("  ")
      .trimEnd();
  const id = printable(key.eventId, 60);
  const whole = line(new Date(receivedAt).toISOString(), id, notes);
  if (columnsOf(whole) <= columns) return whole;
  const ago = `${durationText(Math.max(0, now - receivedAt))} ago`.padStart(10);
  const room = columns - columnsOf(line(ago, "x", "")) + 1;
  if (notes === "") return line(ago, cutToColumns(id, room), "");
  const short = cutToColumns(id, SHORT_ID);
  const left = room - columnsOf(short) - 2;
  return line(ago, short, columnsOf(notes) <= left ? notes : `${cutToColumns(notes, left - 1)}…`);
}

/** Fields with lines of their own. */
const LISTED: ReadonlySet<string> = new Set(["problems", "waits"]);

/**
 * An entry, its delivery and its handler runs as lines, wrapped between words on a terminal; the
 * body is not.
 */
export function entryPage(
  entry: Entry,
  delivery: Delivery | undefined,
  attempts: readonly AttemptRecord[],
  { color, columns }: Pick<Output, "color" | "columns">,
): readonly string[] {
  const field = (name: string, value: unknown) =>
    hangingLines(`${color.dim(name.padEnd(17))} `, printable(String(value), 300), 2, columns);
  const fields = Object.entries(entryFields(entry))
    .filter(([name, value]) => value !== null && String(value) !== "" && !LISTED.has(name))
    .flatMap(([name, value]) => field(name, value));
  const section = (title: string, texts: readonly string[]) =>
    texts.length === 0
      ? []
      : [color.bold(title), ...texts.flatMap((text) => hangingLines("  ", text, 4, columns))];
  return [
    ...fields,
    ...section(
      "problems",
      problemsOf(entry, delivery).map((problem) => printable(problemLine(problem), 700)),
    ),
    ...section("targets", entry.waits.map(waitLine)),
    ...section(
      "runs",
      attempts.flatMap((run, index) =>
        runLines(run, attempts.slice(0, index).findLast(hasSameErrorAs(run))),
      ),
    ),
    ...(delivery === undefined ? [] : section("delivery", requestLines(delivery))),
    ...(delivery === undefined
      ? []
      : [color.bold("body") + color.dim("  (--body prints the exact bytes)")]),
    ...printableLines(Buffer.from(delivery?.body ?? []).toString("utf8")),
  ];
}

/** A run as lines; its error only if it is not that of an earlier one. */
function runLines(run: AttemptRecord, before: AttemptRecord | undefined): readonly string[] {
  const { attempt, handler, outcome, duration, error, note, failure, startedAt } = run;
  const line = `${iso(startedAt)}  attempt ${attempt}  ${printable(handler)}  ${outcome}  ${duration} ms`;
  if (before !== undefined) return [`${line}  as attempt ${before.attempt}`];
  const stack = failure?.stack ?? failure?.at ?? null;
  const texts = [error === null ? null : errorText(run), note, stack];
  const more = texts.flatMap((text) => (text === null ? [] : printableLines(text)));
  return [line, ...more.map((text) => `  ${text}`)];
}

function hasSameErrorAs({
  handler,
  error,
  note,
  failure,
}: AttemptRecord): (other: AttemptRecord) => boolean {
  const what = JSON.stringify([handler, error, note, failure]);
  return (other) =>
    other.error !== null &&
    JSON.stringify([other.handler, other.error, other.note, other.failure]) === what;
}

function waitText(waits: readonly TargetWait[]): string | null {
  const targets = waits
    .filter(({ over }) => over === null)
    .map(({ target }) => printable(target, 120));
  return targets.length === 0 ? null : `waits for ${targets.join(" and ")}`;
}

function waitLine({ target, since, attempts, over }: TargetWait): string {
  const state = over === null ? `waits since ${iso(since)}` : `given up on: ${over}`;
  return `${printable(target, 300)}  ${state}, ${counted(attempts, "failed attempt", "failed attempts")}`;
}

function requestLines({ method, target, headers }: Delivery): readonly string[] {
  const lines = Object.entries(headers).map(([name, value]) => printable(`${name}: ${value}`, 300));
  return [`${method} ${printable(shownUrl(target))}`, ...lines];
}

function printableLines(text: string): readonly string[] {
  return text.split("\n").map((line) => printable(line, 100_000));
}

function iso(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
