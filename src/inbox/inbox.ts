import type { AgeLimits } from "../event/age.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import type { Rejection } from "../event/rejection.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { OpenTerms } from "./open-terms.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "./prune-request.ts";
import type { Runner } from "./runner.ts";
import type { TargetCount, TargetWait } from "./target-wait.ts";

/**
 * An entry's state. `pending` waits for `runAt`; `running` is leased until `runAt`; `done` succeeded; `dead` will not
 * run again unless redriven; `unhandled` had no handler when it was due, and can be redriven once it has one.
 */
export type EntryState = "pending" | "running" | "done" | "dead" | "unhandled";

/** Every state, in the order of an entry's life. */
export const ENTRY_STATES: readonly EntryState[] = ["pending", "running", "done", "dead", "unhandled"];

/** A verified delivery to keep. */
export interface NewEntry {
  readonly key: DedupKey;
  readonly kind: string | null;
  /** The envelope's timestamp in milliseconds since 1970; `null` if none could be read. */
  readonly eventTimestamp: number | null;
  readonly state: "pending" | "dead";
  /** Why it is dead, as a stable code. */
  readonly reason: string | null;
  /** For the reason `invalid_data`: what does not fit. */
  readonly problems?: readonly DataProblem[] | undefined;
  /** Entries of one source and order key run one after another, in order of arrival; `null` for no order. */
  readonly orderKey: string | null;
  readonly delivery: Delivery;
  /** When it is first due; {@link ClaimRequest.only} can claim it sooner. Default: at its arrival. */
  readonly runAt?: number;
  /** Keeps it even if its key may have been pruned: for entries that are replayed on purpose. */
  readonly afterPruning?: boolean;
  /** For a pending entry without an order key: inserts it already leased, so no claim is needed. */
  readonly lease?: Lease | undefined;
}

/** The exclusive right to run an entry for a time. */
export interface Lease {
  /** Starts with the id of the `Runner` that holds it and a dot, if the process is registered. */
  readonly token: string;
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
}

/** The entry of a delivery that was kept, new or known. */
export interface Appended {
  readonly seq: number;
  readonly duplicate: boolean;
  /** The entry's state; for a new one, the state passed in, leased or not. */
  readonly state: EntryState;
  /** Whether it was inserted with the lease passed in, so that the caller runs it. An inbox may ignore that lease. */
  readonly leased?: boolean;
}

/** How to keep an authentic delivery if none of the user's own code is involved. Times are milliseconds. */
export interface KeepTerms extends AgeLimits {
  readonly source: string;
  /** Since 1970. */
  readonly now: number;
  /** From the arrival of a new entry until it is due. */
  readonly holdMs: number;
  /** For a new entry that may run at once. */
  readonly lease?: Lease | undefined;
}

/** What an authentic delivery became: an event's entry, or a dead letter. */
export type Kept = KeptEvent | KeptRejected;

/** An event's entry, new or known. */
export interface KeptEvent extends Appended {
  readonly key: DedupKey;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The digest of kind and `data`, without the timestamp: equal for restamps of one event. */
  readonly content: string;
  /** How `data` does not fit its kind's schema; empty if it fits. */
  readonly problems: readonly DataProblem[];
}

/** The dead letter of a rejected delivery. Its key is its own, so it cannot block the event that it may contain. */
export interface KeptRejected extends Appended {
  readonly rejection: Rejection;
  readonly eventId: string;
  /** What could be read of it. */
  readonly kind: string | null;
  readonly timestamp: number | null;
}

/** An entry without its delivery's headers and body. All times are milliseconds since 1970. */
export interface Entry {
  /** Arrival order within the inbox; the entry's short name. */
  readonly seq: number;
  readonly key: DedupKey;
  readonly kind: string | null;
  readonly eventTimestamp: number | null;
  readonly state: EntryState;
  readonly reason: string | null;
  /** For the reason `invalid_data`: what did not fit when it was last checked. Otherwise empty. */
  readonly problems: readonly DataProblem[];
  readonly orderKey: string | null;
  readonly receivedAt: number;
  /** When it may be claimed next; for a running entry, when its lease ends. */
  readonly runAt: number;
  /** Counted when claimed, so an entry that kills the process still runs out of attempts. */
  readonly attempts: number;
  /** How many duplicates were received. */
  readonly duplicates: number;
  readonly lastSeenAt: number;
  /** When it reached `done`, `dead` or `unhandled`. */
  readonly settledAt: number | null;
  /** Names of the handlers that succeeded: a retry does not run them again. */
  readonly finishedHandlers: readonly string[];
  /** The targets that it waits for, or was given up on for. */
  readonly waits: readonly TargetWait[];
  /** SHA-256 of the body, hex. */
  readonly bodyHash: string;
  /** Bytes of the body. */
  readonly bodyLength: number;
}

/** An entry that this process has leased, with all that is needed to run it. */
export interface ClaimedEntry extends Pick<Entry, "seq" | "key" | "kind" | "orderKey" | "finishedHandlers"> {
  /** Why its delivery could not be read, if the store is damaged there. The delivery is then empty. */
  readonly unreadable?: string | undefined;
  /** The lease's token. A settlement without the current token is refused. */
  readonly lease: string;
  /** When the lease ends. */
  readonly runAt: number;
  /** Which attempt it is, from 1. */
  readonly attempts: number;
  /** As in {@link Entry}. Default none. */
  readonly waits?: readonly TargetWait[];
  /** When it was due before it was claimed. Default: at its arrival. */
  readonly dueAt?: number;
  readonly delivery: Delivery;
}

/** The result of a leased entry. */
export interface Settlement {
  readonly seq: number;
  readonly lease: string;
  readonly state: Exclude<EntryState, "running">;
  readonly reason: string | null;
  /** For the reason `invalid_data`: what does not fit. */
  readonly problems?: readonly DataProblem[] | undefined;
  /** When it may run again, for `pending`. */
  readonly runAt: number;
  readonly finishedHandlers: readonly string[];
  readonly records: readonly AttemptRecord[];
  /** The targets that it waits for from now on. Default: as before. */
  readonly waits?: readonly TargetWait[] | undefined;
  /** Does not count the attempt: a shutdown ended it, not the entry. */
  readonly uncount?: boolean;
  /** That the entry has no order key, so no other entry waits for it. Spares a lookup. */
  readonly unordered?: boolean;
}

/** What to claim. All times are milliseconds. */
export interface ClaimRequest {
  readonly now: number;
  readonly limit: number;
  readonly leaseMs: number;
  /**
   * How many due entries to claim beyond `limit`, to run soon. First attempts only: an entry that may kill the process
   * must not use up attempts of entries that were only queued behind it. Default 0.
   */
  readonly ahead?: number;
  /** Entries that are running here already: not claimed, even after their lease has ended. Default none. */
  readonly except?: readonly number[];
  /**
   * The furthest ahead of `now` that an entry can be due. One due later was dated by a clock that has since been set
   * back, and counts as due. Default: no limit.
   */
  readonly horizon?: number;
  /** Whether a dead letter holds back the later entries of its order key. Default `false`. */
  readonly deadBlocks?: boolean;
  /** Claims this entry only, due or not, unless it is leased or held back. */
  readonly only?: number;
  /**
   * Claims only entries that wait for this target, due or not, in order of arrival: those with a higher number than
   * `after`, unless they are leased or held back.
   */
  readonly waitingFor?: { readonly target: string; readonly after: number };
  /** Only entries of these sources. Default all. */
  readonly sources?: readonly string[];
  /** The id under which this process is registered: lease tokens start with it. Default: not registered. */
  readonly runner?: string;
}

/** Which entries to list or change: those that match every field. */
export interface EntryFilter {
  readonly states?: readonly EntryState[];
  /** Exact kinds, or patterns such as `payment.*`. */
  readonly kinds?: readonly string[];
  /** Received at or after. */
  readonly since?: number;
  /** Received before. */
  readonly until?: number;
  /** Exact sources. */
  readonly sources?: readonly string[];
  /** An exact entry number. */
  readonly seq?: number;
  /** An event id, or the beginning of one. */
  readonly eventId?: string;
  /** Exact entry numbers. */
  readonly seqs?: readonly number[];
  /** Entries that wait for one of these targets, or were given up on for one. */
  readonly targets?: readonly string[];
  /** Entries with a higher number. */
  readonly after?: number;
  /** Entries with a lower number. */
  readonly before?: number;
  /** A text in the event id or the body's bytes; a to z in either case. Slow: limit it with `after` and `before`. */
  readonly text?: string;
  /** The maximum number of entries, newest first. */
  readonly limit?: number;
}

/**
 * The durable record of events. If the store fails, a method rejects with a `HookporterError` whose code starts with
 * `inbox_`. What resolves is committed.
 */
export interface Inbox {
  /** Opens the store. */
  open(terms?: OpenTerms): Promise<void>;
  /**
   * Registers this process until `close`, or updates its registration. Leases of a registered process that is known to
   * be dead end at once. Resolves once the leases of dead processes have ended.
   */
  register?(runner: Runner): Promise<void>;
  /** The store's time, with which leases and due times are compared. Default: the receiver's clock. */
  now?(): number;
  /** Calls the listener if another process may have made entries due; returns an unsubscribe function. */
  onDue?(listener: () => void): () => void;
  /**
   * Why deliveries must not be acknowledged: damage to the store that stops entries from being handled. `undefined`
   * while no such damage is known.
   */
  readonly damage?: string | undefined;
  /**
   * Keeps a delivery, or counts it as a duplicate of the entry with its key. Resolves after the commit. Resolves to
   * `undefined`, with nothing kept, for a pending entry so old that its key may have been pruned: it could run twice.
   */
  append(entry: NewEntry): Promise<Appended | undefined>;
  /**
   * Reads an authentic delivery and keeps what it is. Optional: for an inbox that can do so outside the receiving
   * thread. Without it, and if the user's own code is involved, the receiver reads the delivery and calls `append`.
   */
  keep?(delivery: Delivery, terms: KeepTerms): Promise<Kept>;
  /** Counts a duplicate if the key is known; does nothing otherwise. */
  touch(key: DedupKey, at: number): Promise<Appended | undefined>;
  /**
   * Leases due entries, and counts an attempt for each: pending ones, and running ones whose lease has ended, unless an
   * earlier entry of the same order key holds them back.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]>;
  /** Extends leases; returns the numbers of entries whose lease was lost. */
  renew(leases: readonly { seq: number; lease: string }[], until: number): Promise<readonly number[]>;
  /** Ends a lease with a result. Returns `false`, and changes nothing, if the lease was lost. */
  settle(settlement: Settlement, now: number): Promise<boolean>;
  /** When the next entry that could be claimed is due; `undefined` if none is waiting. */
  nextRunAt(request?: Pick<ClaimRequest, "except" | "deadBlocks" | "sources">): Promise<number | undefined>;
  /** Makes dead and unhandled entries pending again, with no attempts counted; returns how many. */
  redrive(filter: EntryFilter, now: number): Promise<number>;
  /** Sets when pending entries are due, and leaves their attempts as they are; returns how many. */
  reschedule(filter: EntryFilter, runAt: number): Promise<number>;
  /**
   * Makes entries dead letters with the reason `dropped`, which hold back no other entry; returns how many. A running entry
   * is dropped when its run ends, unless it succeeds. Done and dropped entries are left alone.
   */
  drop(filter: EntryFilter, now: number): Promise<number>;
  /** How many pending and running entries wait for each target, ordered by the target's name. */
  waiting(request?: Pick<EntryFilter, "sources">): Promise<readonly TargetCount[]>;
  /** Entries in order of arrival; with a limit the newest, oldest of them first. */
  list(filter: EntryFilter): Promise<readonly Entry[]>;
  /** Deletes ended entries and their records, one step at a time. A pruned event is never taken for new again. */
  prune(request: PruneRequest, step: Step): Promise<StepResult>;
  /** Deletes the deliveries of done entries, one step at a time. The entries stay. */
  slim(request: SlimRequest, step: Step): Promise<StepResult>;
  /** An entry's delivery; `undefined` if there is no such entry, or it was slimmed. */
  delivery(seq: number): Promise<Delivery | undefined>;
  /** The runs of an entry's handlers, oldest first. */
  attempts(seq: number): Promise<readonly AttemptRecord[]>;
  /** The number of entries in each state. */
  counts(): Promise<Readonly<Record<EntryState, number>>>;
  /** Waits for operations in progress, then closes the store. */
  close(): Promise<void>;
}
