/**
 * What the inspector's API says: shared by the server, which writes it, and the page, which reads it. All times are
 * milliseconds since 1970, all durations milliseconds. `docs/inspector.md` lists the routes.
 */
import type { AttemptRecord, EntryState } from "../inbox/inbox.ts";

/** Header values by lowercase name. */
export type ShownHeaders = Readonly<Record<string, string | readonly string[]>>;

/** An entry of the inbox, as a line of the list. */
export interface EntryRow {
  readonly type: "entry";
  /** Unique in the list, such as `e12`. */
  readonly id: string;
  readonly seq: number;
  readonly receivedAt: number;
  readonly kind: string | null;
  readonly eventId: string;
  readonly state: EntryState;
  readonly reason: string | null;
  readonly attempts: number;
  readonly duplicates: number;
  readonly lastSeenAt: number;
  readonly runAt: number;
  readonly settledAt: number | null;
  /** Of the body. */
  readonly bytes: number;
}

/** A delivery of which nothing is kept, as a line of the list. */
export interface RefusalRow {
  readonly type: "refusal";
  /** Unique in the list, such as `r3`. */
  readonly id: string;
  readonly receivedAt: number;
  readonly word: "unauthorized" | "refused" | "failed";
  readonly reason: string;
  readonly method: string;
  readonly target: string;
  /** Of the body, as far as it was read. */
  readonly bytes: number;
  /** What the sender was answered. */
  readonly status: number;
}

/** A line of the list. */
export type Row = EntryRow | RefusalRow;

/** A page of the list, newest first. */
export interface RowPage {
  readonly rows: readonly EntryRow[];
  /** Give it as `before` to go on; `null` where there is no more. */
  readonly next: number | null;
}

/** One check that a delivery went through. */
export interface Step {
  readonly name: string;
  readonly result: "passed" | "failed" | "skipped";
  readonly text: string;
  /** Lines of detail, such as the digests that were compared. */
  readonly details?: readonly { readonly name: string; readonly value: string }[];
}

/** Why a delivery was taken or not, step by step. */
export interface Explanation {
  /** What the sender was answered the first time; `null` where it is not known any more. */
  readonly status: number | null;
  readonly summary: string;
  readonly fix: string | null;
  /** What to try, in order, where nothing explains it. */
  readonly advice?: readonly string[];
  readonly steps: readonly Step[];
}

/** A body, as far as it is shown. */
export interface ShownBody {
  readonly bytes: number;
  /** `binary` where the bytes are not UTF-8: `text` is a hex dump then. */
  readonly form: "text" | "binary";
  readonly text: string;
  /** Whether there is more than is shown. */
  readonly cut: boolean;
}

/** An entry with all there is to say about it. */
export interface EntryDetail extends EntryRow {
  readonly source: string;
  readonly eventTimestamp: number | null;
  readonly orderKey: string | null;
  readonly finishedHandlers: readonly string[];
  readonly bodyHash: string;
  readonly explanation: Explanation;
  /** `null` where the delivery was dropped by now. */
  readonly delivery: {
    readonly method: string;
    readonly target: string;
    readonly headers: ShownHeaders;
    readonly body: ShownBody;
  } | null;
  /** Oldest first. */
  readonly runs: readonly AttemptRecord[];
  /** When it came again, as far as this `listen` has seen; newest first. */
  readonly seenAgain: readonly number[];
}

/** A refused delivery with all there is to say about it. */
export interface RefusalDetail extends RefusalRow {
  readonly durationMs: number;
  readonly headers: ShownHeaders;
  readonly explanation: Explanation;
}

/** The event before this one that speaks of the same resource. */
export interface Previous {
  readonly seq: number;
  readonly kind: string | null;
  readonly receivedAt: number;
  readonly body: ShownBody;
}

/** What a delivery that the inspector sent was answered. */
export interface Sent {
  readonly url: string;
  readonly status: number;
  readonly ok: boolean;
  readonly durationMs: number;
  readonly body: string;
  /** The entry the delivery became, where this receiver got it. */
  readonly seq: number | null;
}

/** A sample to start from. */
export interface Sample {
  readonly kind: string;
  readonly meaning: string;
  readonly group: string;
  /** Whether the service's description shows the shape of its `data`. */
  readonly documented: boolean;
  /** `data`, as indented JSON. */
  readonly data: string;
}

/** What the page must know of the receiver. */
export interface Status {
  readonly version: string;
  readonly endpoint: string;
  readonly inbox: string;
  readonly startedAt: number;
  readonly signatureHeader: string;
  readonly secrets: readonly { readonly role: string; readonly fingerprint: string }[];
  readonly handlers: string | null;
  readonly forwards: readonly string[];
  readonly counts: Readonly<Record<EntryState, number>>;
}

/** How many took at most so long. */
export interface HistogramBucket {
  /** Upper bound in milliseconds; `null` for the last one, which has none. */
  readonly upTo: number | null;
  readonly count: number;
}

/** What came in one minute, by verdict. */
export interface Minute {
  /** When it began. */
  readonly at: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** How long the handlers of a kind took. */
export interface KindDurations {
  readonly kind: string;
  readonly runs: number;
  readonly failed: number;
  /** Half of the runs took at most so long, by estimate. */
  readonly median: number;
  /** 95 % of the runs took at most so long, by estimate. */
  readonly p95: number;
  readonly longest: number;
}

/** What has come and what became of it since `listen` started. */
export interface Overview {
  readonly since: number;
  readonly now: number;
  /** The last 60, oldest first. */
  readonly minutes: readonly Minute[];
  /** From a request's head to its answer. */
  readonly latency: readonly HistogramBucket[];
  readonly durations: readonly KindDurations[];
  readonly counts: Readonly<Record<EntryState, number>>;
  /** The newest, newest first. */
  readonly dead: readonly EntryRow[];
}

/** What the live feed says each time; every part is left out where it is empty. */
export interface LiveUpdate {
  /** Entries that are new or have changed, and fit the filter. */
  readonly rows?: readonly EntryRow[];
  /** Ids of lines that do not fit the filter any more. */
  readonly gone?: readonly string[];
  readonly refusals?: readonly RefusalRow[];
}
