import type { AttemptRecord } from "./attempt-record.ts";
import type { Settlement } from "./settlement.ts";

// Nearly all entries end with their first attempt, and there is nothing to say about it. A row of
// `attempt` for each of their runs would cost more than the entry's own row. So these runs are
// within the entry: its column `finished_handlers` lists the handlers that have finished, each by
// its name or by the record of its run.

type Finished =
  | string
  | readonly [handler: string, attempt: number, startedAt: number, duration: number];

/** Whether nothing happened but that all handlers succeeded. */
export function isUneventful(settlement: Settlement): boolean {
  const { state, reason, problems, waits, uncount = false, records, finishedHandlers } = settlement;
  const changesMore = reason !== null || problems !== undefined || waits !== undefined || uncount;
  return state === "handled" && !changesMore && fitInline(records, finishedHandlers);
}

/** Whether runs can be stored in place of the names of the handlers that have finished. */
function fitInline(
  records: readonly AttemptRecord[],
  finishedHandlers: readonly string[],
): boolean {
  if (records.length !== finishedHandlers.length) return false;
  for (const [index, { outcome, error, failure, note, handler }] of records.entries()) {
    if (outcome !== "ok" || (error ?? failure ?? note) !== null) return false;
    if (handler !== finishedHandlers[index]) return false;
  }
  return true;
}

/** What is stored of such a settlement. */
export interface Finish {
  readonly seq: number;
  readonly lease: string;
  readonly runAt: number;
  /** The value of the column. */
  readonly runs: string;
  /** Whether other entries may wait for it. */
  readonly ordered: boolean;
}

/** What is to be stored of a settlement, if it is uneventful. */
export function finishOf(settlement: Settlement): Finish | undefined {
  if (!isUneventful(settlement)) return undefined;
  const { seq, lease, runAt, records, unordered = false } = settlement;
  return { seq, lease, runAt, runs: withRuns(records), ordered: !unordered };
}

/** The value of the column, with the runs of all handlers in it. */
export function withRuns(records: readonly AttemptRecord[]): string {
  return JSON.stringify(
    records.map(({ handler, attempt, startedAt, duration }) => [
      handler,
      attempt,
      startedAt,
      duration,
    ]),
  );
}

/** The value of the column of an entry that is copied, and its runs that are not within it. */
export function splitRuns(
  { state, finishedHandlers }: Pick<Settlement, "finishedHandlers"> & { readonly state: string },
  runs: readonly AttemptRecord[],
): { readonly finished: string; readonly others: readonly AttemptRecord[] } {
  const others = runs.slice(0, Math.max(0, runs.length - finishedHandlers.length));
  const last = runs.slice(others.length);
  if (state !== "handled" || !fitInline(last, finishedHandlers))
    return { finished: JSON.stringify(finishedHandlers), others: runs };
  return { finished: withRuns(last), others };
}

/**
 * The names of the handlers that have finished; throws a SyntaxError if the value is not what was
 * stored.
 */
export function finishedNames(stored: unknown): readonly string[] {
  return read(stored).map((finished) => (typeof finished === "string" ? finished : finished[0]));
}

/** The runs within an entry, oldest first; they are later than its rows of `attempt`. */
export function inlineRuns(stored: unknown): readonly AttemptRecord[] {
  return read(stored).flatMap((finished): readonly AttemptRecord[] => {
    if (typeof finished === "string") return [];
    const [handler, attempt, startedAt, duration] = finished;
    return [
      {
        attempt,
        handler,
        startedAt,
        duration,
        outcome: "ok",
        error: null,
        failure: null,
        note: null,
      },
    ];
  });
}

function read(stored: unknown): readonly Finished[] {
  const list: unknown = JSON.parse(String(stored));
  if (Array.isArray(list) && list.every(isFinished)) return list;
  throw new SyntaxError("expected finished_handlers to be a list of handlers");
}

function isFinished(value: unknown): value is Finished {
  if (typeof value === "string") return true;
  const [handler, ...numbers] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return typeof handler === "string" && numbers.length === 3 && numbers.every(Number.isFinite);
}
