import { setTimeout as sleep } from "node:timers/promises";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { type Answer, answersIn, handledIn, type Place } from "./place.ts";

/** The results of a test's deliveries. */
export interface Books {
  readonly acknowledged: number;
  /** Entries in the file. */
  readonly kept: number;
  /** Acknowledged, but without an entry. */
  readonly lost: number;
  /** Acknowledged, but never handled. */
  readonly unhandled: number;
  /** Ids of a few that were lost or never handled. */
  readonly examples: readonly string[];
  /** Entries that are not `done`. */
  readonly unfinished: number;
  /** Answers 503. */
  readonly refused: number;
  /** The longest time without a 200 that started with a 503, outside outages. Milliseconds. */
  readonly longestRefusal: number;
  /** The median time of a 200 under this load. Milliseconds. */
  readonly usualAnswer: number;
}

/** A time in which other answers than 200 are expected: from a kill until the receiver is back. */
export interface Outage {
  readonly from: number;
  to: number;
}

/** Milliseconds without progress after which a drain ends. */
const STALLED = 5000;

/**
 * Resolves once all acknowledged events are handled and no entry waits, or there is no more
 * progress.
 */
export async function drained(place: Place): Promise<void> {
  const acknowledged = acknowledgedIn(answersIn(place));
  let least = Number.POSITIVE_INFINITY;
  for (let end = Date.now() + STALLED; Date.now() < end; await sleep(100)) {
    const handled = handledIn(place);
    const left = acknowledged.filter((id) => !handled.has(id)).length + unfinishedIn(place.inbox);
    if (left === 0) return;
    if (left < least) end = Date.now() + STALLED;
    least = Math.min(least, left);
  }
}

/** Counts the results; call it when every receiver has ended. */
export function readBooks(place: Place, outages: readonly Outage[] = []): Books {
  const answers = answersIn(place);
  const acknowledged = acknowledgedIn(answers);
  const entries = entriesIn(place.inbox);
  const handled = handledIn(place);
  const lost = acknowledged.filter((id) => !entries.has(id));
  const unhandled = acknowledged.filter((id) => !handled.has(id));
  return {
    acknowledged: acknowledged.length,
    kept: entries.size,
    lost: lost.length,
    unhandled: unhandled.length,
    examples: [...lost, ...unhandled].slice(0, 10),
    unfinished: unfinishedIn(place.inbox),
    refused: answers.filter(({ status }) => status === 503).length,
    longestRefusal: longestRefusal(answers, outages),
    usualAnswer: usualAnswer(answers),
  };
}

/** The counts on one line. */
export function booksLine({ examples, ...counts }: Books): string {
  const line = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return [...line, ...(examples.length > 0 ? [`such as ${examples.join(" ")}`] : [])].join(", ");
}

/** The ids of deliveries answered 200. */
export function acknowledgedIn(answers: readonly Answer[]): readonly string[] {
  return answers.filter(({ status }) => status === 200).map(({ id }) => id);
}

/**
 * The most milliseconds from the first 503 after a 200 to the next 200 of the same receiver,
 * outside outages.
 */
export function longestRefusal(answers: readonly Answer[], outages: readonly Outage[]): number {
  const since = new Map<number, number>();
  let longest = 0;
  const look = (from: number, to: number) => {
    const out = outages.reduce((sum, outage) => sum + overlap(outage, { from, to }), 0);
    longest = Math.max(longest, to - from - out);
  };
  for (const { status, port, at } of answers) {
    const from = since.get(port);
    if (status === 503 && from === undefined) since.set(port, at);
    if (status !== 200 || from === undefined) continue;
    look(from, at);
    since.delete(port);
  }
  const end = answers.at(-1)?.at ?? 0;
  for (const from of since.values()) look(from, end);
  return longest;
}

/**
 * The longest time in milliseconds that receivers may continuously answer 503 while none is down: 3
 * seconds, and more if the machine is too busy to answer quickly.
 */
export function longestAllowed({ usualAnswer: usual }: Pick<Books, "usualAnswer">): number {
  return 3000 + 30 * usual;
}

function usualAnswer(answers: readonly Answer[]): number {
  const times = answers.flatMap(({ status, began, at }) => (status === 200 ? [at - began] : []));
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function overlap(a: Outage, b: Outage): number {
  return Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));
}

/** Event ids, read directly with SQL rather than through the inbox. */
function entriesIn(inbox: string): ReadonlySet<string> {
  return reading(
    inbox,
    "SELECT event_id AS id FROM entry",
    (rows) => new Set(rows.map(({ id }) => String(id))),
  );
}

function unfinishedIn(inbox: string): number {
  const sql = "SELECT count(*) AS n FROM entry WHERE state <> 'handled'";
  return reading(inbox, sql, ([row]) => Number(row?.n));
}

/** The rows of a query, from a connection that writes nothing, not even when it is closed. */
function reading<Result>(
  inbox: string,
  sql: string,
  use: (rows: readonly Record<string, unknown>[]) => Result,
): Result {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(inbox, { readOnly: true });
  try {
    return use(database.prepare(sql).all() as Record<string, unknown>[]);
  } finally {
    database.close();
  }
}
