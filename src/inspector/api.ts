/**
 * The types of the inspector's API, shared by the server and the page. All times are in
 * milliseconds since 1970, all durations in milliseconds. `docs/reference/inspector.md` lists the
 * routes.
 */
import type { DataProblem } from "../event/data-problems.ts";
import type { Difference } from "../event/difference.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import type { StateCounts } from "../inbox/counts.ts";
import type { Entry } from "../inbox/entry.ts";
import type { EntryState } from "../inbox/entry-state.ts";

/** Header values by lowercase name. */
export type ShownHeaders = Readonly<Record<string, string | readonly string[]>>;

type ShownColumn = "seq" | "receivedAt" | "kind" | "reason" | "attempts" | "duplicates";

export interface EntryRow extends Pick<Entry, ShownColumn | "lastSeenAt" | "runAt" | "settledAt"> {
  readonly type: "entry";
  /** Unique in the list, such as `e12`. */
  readonly id: string;
  readonly eventId: string;
  readonly state: EntryState;
  readonly bytes: number;
  /**
   * Why it is not handled, in one line: a field that does not fit, an error's first line, or the
   * reason in words.
   */
  readonly why: string | null;
  /**
   * The value at the query's `resource`, `data.id` by default, if it is among the first 8 KiB of
   * the body.
   */
  readonly resource: string | null;
  readonly duration: number | null;
}

export interface RefusalRow {
  readonly type: "refusal";
  readonly id: string;
  readonly receivedAt: number;
  readonly word: "unauthorized" | "refused" | "failed";
  readonly reason: string;
  readonly method: string;
  readonly target: string;
  readonly bytes: number;
  readonly status: number;
  readonly why: string;
  /**
   * How many were refused alike, of which this one has the details of the latest and the time of
   * the first.
   */
  readonly count: number;
  readonly duration: number;
}

export type Row = EntryRow | RefusalRow;

export interface RowPage {
  readonly rows: readonly EntryRow[];
  /** Pass it as `before` for the next page; `null` if there is none. */
  readonly next: number | null;
  /** The number of the newest entry that was looked at; 0 if there is none. */
  readonly newest: number;
}

export interface RowCounts {
  readonly total: number;
  /**
   * Entries that match the filter's kinds and times, by state; `null` if counting them would take
   * too long.
   */
  readonly states: StateCounts | null;
  readonly refused: number;
}

export interface VerdictStep {
  readonly name: string;
  readonly result: "passed" | "failed" | "skipped";
  readonly text: string;
  readonly details?: readonly { readonly name: string; readonly value: string }[];
}

export interface Explanation {
  /** The status first sent to the sender; `null` if it is no longer known. */
  readonly status: number | null;
  readonly summary: string;
  readonly fix: string | null;
  readonly advice?: readonly string[];
  readonly steps: readonly VerdictStep[];
}

export interface ShownBody {
  readonly bytes: number;
  /** `binary` if the bytes are not UTF-8; then `text` is a hex dump. */
  readonly form: "text" | "binary";
  readonly text: string;
  /** Whether the body is longer than the text. */
  readonly cut: boolean;
}

/** A run of a handler, with what only this `listen` knows about it. */
export interface RunDetail extends AttemptRecord {
  /** What the handler printed, in order, without colours. */
  readonly printed: readonly PrintedLine[];
  /** How many lines beyond those were not kept. */
  readonly unprinted: number;
  readonly answer: ShownAnswer | null;
}

export interface PrintedLine {
  readonly at: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}

export interface ShownAnswer {
  readonly status: number;
  readonly headers: ShownHeaders;
  readonly bytes: number;
  readonly isCut: boolean;
  readonly duration: number;
}

export interface EntryDetail
  extends EntryRow,
    Pick<Entry, "eventTimestamp" | "orderKey" | "finishedHandlers" | "bodyHash"> {
  /** Which fields do not fit, and how; and numbers that a double does not hold. */
  readonly problems: readonly DataProblem[];
  /**
   * Which fields would not fit if it were retried now; `null` if it did not fail for that reason.
   */
  readonly stillUnfit: readonly DataProblem[] | null;
  readonly source: string;
  readonly explanation: Explanation;
  /** `null` if the delivery has been deleted. */
  readonly delivery: {
    readonly method: string;
    readonly target: string;
    readonly headers: ShownHeaders;
    /**
     * The names of headers whose values are not shown, and which commands and fixtures leave out by
     * default.
     */
    readonly hidden: readonly string[];
    readonly body: ShownBody;
  } | null;
  /** How events began to differ with this one; empty if it is not the first that differs. */
  readonly drifts: readonly DriftNote[];
  /**
   * The address from which the first delivery came; `null` if it came before this `listen` started.
   */
  readonly sender: string | null;
  /** Oldest first. */
  readonly runs: readonly RunDetail[];
  /** When it was received again during this `listen`, newest first. */
  readonly seenAgain: readonly number[];
}

/** One way in which events began to differ from those before. Nothing here is a value of `data`. */
export interface DriftNote extends Difference {
  readonly at: number;
  /** The first entry that differs so. */
  readonly seq: number;
  readonly kind: string;
}

export interface RefusalDetail extends RefusalRow {
  /** The newest of them; `null` if it is not held, or was not read. */
  readonly body: ShownBody | null;
  readonly headers: ShownHeaders;
  readonly explanation: Explanation;
}

/** The events about one resource. */
export interface Related {
  /** Its `data.id`; `null` if the event has none. */
  readonly resource: string | null;
  /** Oldest first, the event itself among them; at most 20 before and after it. */
  readonly rows: readonly EntryRow[];
}

export interface Sent {
  readonly url: string;
  readonly status: number;
  readonly ok: boolean;
  readonly duration: number;
  readonly body: string;
  readonly seq: number | null;
  /** Its row among the refused deliveries, if this receiver refused it. */
  readonly refusal: string | null;
  /** What this receiver made of it, such as `accepted`, `duplicate` or `unauthorized`, and why. */
  readonly word: string | null;
  readonly reason: string | null;
}

export interface Triggered extends Sent {
  readonly kind: string;
}

export interface Sample {
  readonly kind: string;
  readonly meaning: string;
  readonly group: string;
  /** Whether the service's description shows its `data`. */
  readonly documented: boolean;
  readonly data: string;
  /**
   * The shape file from which `data` of this kind is made up unless a trigger says otherwise;
   * `null` if it is not.
   */
  readonly madeUpFrom: string | null;
}

export interface Status {
  readonly version: string;
  readonly endpoint: string;
  readonly inbox: string;
  readonly startedAt: number;
  readonly signatureHeader: string;
  readonly secrets: readonly { readonly role: string; readonly fingerprint: string }[];
  readonly handlers: string | null;
  readonly forwards: readonly string[];
  readonly counts: StateCounts;
}

/** An update of the live feed; empty parts are omitted. */
export interface LiveUpdate {
  readonly rows?: readonly EntryRow[];
  /** Ids of rows that no longer match the filter. */
  readonly gone?: readonly string[];
  readonly refusals?: readonly RefusalRow[];
}
