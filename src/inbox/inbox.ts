/**
 * Finished entries come in, and results of runs. Leased entries go out, and what pages and
 * commands ask for. What was acknowledged is never lost: a method resolves after its commit.
 */

import type { HookporterError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import type { Appended, NewEntry } from "./append.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { ClaimedEntry, ClaimRequest, DueRequest } from "./claim.ts";
import type { CountFilter, Counts } from "./counts.ts";
import type { Entry } from "./entry.ts";
import type { EntryFilter } from "./entry-filter.ts";
import type { EntryOutline, OutlineRequest } from "./outline.ts";
import type { NewPacedRetry, Pause, PauseOf, Pauses } from "./pause.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "./prune-request.ts";
import type { LocalReceiver, Runner } from "./runner.ts";
import type { SenderNote, SenderRecord } from "./senders.ts";
import type { Settlement } from "./settlement.ts";
import type { TargetCount } from "./target-wait.ts";
import type { InboxSize } from "./vitals.ts";

/** What {@link RunningInbox.backlog} counts. */
export interface BacklogRequest {
  readonly sources: readonly string[];
  readonly limit: number;
}

/**
 * What a running receiver calls. If the store fails, a method rejects with a `HookporterError`
 * whose code starts with `inbox_`. What resolves is committed.
 */
export interface RunningInbox {
  /**
   * The store's time, with which leases and due times are compared, if several machines may share
   * it, since their clocks differ; `undefined` if the receiver's clock is as good.
   */
  readonly now: number | undefined;
  /**
   * Whether all that becomes due before its time is told now (`onDue` of {@link OpenTerms}), so
   * that nothing need be polled.
   */
  readonly supportsNotify: boolean;
  /**
   * Why deliveries must not be acknowledged, as the error that `append` would throw: damage to the
   * store that stops entries from being handled, or a file that is no longer in place. `undefined`
   * while nothing like that is known.
   */
  readonly damage: HookporterError | undefined;
  /**
   * How many calls of `inside` there may be at a time; `undefined` for a store that has no
   * transactions for handlers.
   */
  readonly insideLimit: number | undefined;
  /** Whether anything was paused, or a retry under way, at the last `nextRunAt`, or since. */
  readonly isPaused: boolean;
  /** Opens the store. */
  open(terms?: OpenTerms): Promise<void>;
  /** Waits for operations in progress, then closes the store. */
  close(): Promise<void>;
  /**
   * Registers a receiver until `close`, or updates its registration. Leases of a registered process
   * that is known to be dead end at once. Entries that wait for a process with a handler for them
   * are due then, if this has one. Resolves to a function that ends the registration of one
   * receiver, while others of this process may keep the inbox open.
   *
   * @param now - the time at which they are due
   */
  register(runner: Runner, now: number): Promise<() => Promise<void>>;
  /**
   * The other processes that are registered, except those known to be dead, and perhaps the
   * receivers of this one.
   */
  runners(): Promise<readonly Runner[]>;
  /**
   * Keeps a delivery, or counts it as a duplicate of the entry with its key. Resolves after the
   * commit. Resolves to `undefined`, with nothing kept, for a waiting entry so old that its key may
   * have been pruned: it could run twice.
   */
  append(entry: NewEntry): Promise<Appended | undefined>;
  /** Counts a duplicate if the key is known; does nothing otherwise. */
  touch(key: DedupKey, at: number): Promise<Appended | undefined>;
  /** How many entries of these sources have not ended; counts no further than `limit`. */
  backlog(request: BacklogRequest): Promise<number>;
  /**
   * Adds what a receiver saw of its source's signatures (`addNote`); returns what is known then.
   */
  recordSender(note: SenderNote): Promise<SenderRecord>;
  /**
   * Leases due entries, and counts an attempt for each: waiting and failing ones, and running ones
   * whose lease has ended, unless an earlier entry of the same order key holds them back.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]>;
  /** When the next entry that could be claimed is due; `undefined` if none is waiting. */
  nextRunAt(request?: DueRequest): Promise<number | undefined>;
  /** Extends leases; returns the numbers of entries whose lease was lost. */
  renew(
    leases: readonly { seq: number; lease: string }[],
    until: number,
  ): Promise<readonly number[]>;
  /**
   * Ends a lease with a result. Returns `false`, and changes nothing, if the lease was lost. It can
   * be repeated if the first call failed: returns `true` if this lease has ended with this state
   * already, and nothing has changed since.
   */
  settle(settlement: Settlement, now: number): Promise<boolean>;
  /**
   * Runs work in one transaction of the store, and commits it together with the result that the
   * work resolves to, if the lease holds. Rejects if nothing was committed because the store
   * failed.
   *
   * @param work - gets what the handler's own statements go through; never rejects
   * @throws HookporterError `inbox_unsupported` if the store has no transactions for handlers
   */
  inside(work: (tx: unknown) => Promise<InsideEnd>, terms: InsideTerms): Promise<InsideResult>;
  /**
   * Sets when waiting and failing entries are due, and leaves their attempts as they are; returns
   * how many.
   */
  reschedule(filter: EntryFilter, runAt: number): Promise<number>;
  /**
   * Deletes ended entries and their records, one step at a time. A pruned event is never taken for
   * new again.
   */
  prune(request: PruneRequest, step: PruneStep): Promise<StepResult>;
  /** Deletes the deliveries of handled entries, one step at a time. The entries stay. */
  slim(request: SlimRequest, step: PruneStep): Promise<StepResult>;
}

/** What commands, pages and metrics call. It fails as {@link RunningInbox} does. */
export interface ManagedInbox {
  /**
   * Entries in order of their numbers; with a limit the newest, oldest of them first. With several
   * writers an entry may become visible after one with a higher number, so who follows new entries
   * by `after` must look back a few seconds.
   */
  list(filter: EntryFilter): Promise<readonly Entry[]>;
  /** What a list shows of entries besides themselves, in one read. */
  outlines(request: OutlineRequest): Promise<readonly EntryOutline[]>;
  /** An entry's delivery; `undefined` if there is no such entry, or it was slimmed. */
  delivery(seq: number): Promise<Delivery | undefined>;
  /** The runs of an entry's handlers, oldest first. */
  attempts(seq: number): Promise<readonly AttemptRecord[]>;
  /**
   * The number of entries in each state, of those that match the filter if there is one; without
   * it, that of handled ones may be an estimate.
   */
  counts(filter?: CountFilter): Promise<Counts>;
  /** How many entries wait for each target, ordered by the target's name. */
  waiting(request?: Pick<EntryFilter, "sources">): Promise<readonly TargetCount[]>;
  /** How large the store is now. */
  size(): Promise<InboxSize>;
  /** What receivers know of signatures, one record per source. */
  senders(): Promise<readonly SenderRecord[]>;
  /**
   * Makes waiting and failing entries due now, and dead and received ones wait again, with no
   * attempts counted.
   */
  retry(filter: EntryFilter, now: number): Promise<Retried>;
  /**
   * Makes entries dead letters with the reason `dropped`, which hold back no other entry; returns
   * how many. A running entry is dropped when its run ends, unless it succeeds. Handled and dropped
   * entries are left alone.
   */
  drop(filter: EntryFilter, now: number): Promise<number>;
  /** What is paused, and the retries at a measured pace that are under way. */
  pauses(): Promise<Pauses>;
  /**
   * Keeps something from being claimed or run, by all processes, until it is resumed. Claims leave
   * its entries alone, and pass on which handlers and targets are paused.
   */
  pause(pause: Pause): Promise<void>;
  /**
   * Ends a pause; what it held back is due now, or again at its retry's pace. Returns whether there
   * was such a pause.
   */
  resume(of: PauseOf, now: number): Promise<boolean>;
  /** Begins a retry at a measured pace. */
  newRetry(retry: NewPacedRetry): Promise<StartedRetry>;
  /** Forgets a retry; entries of it that still wait are due at their time. */
  endRetry(id: number): Promise<void>;
  /**
   * Erases entries for good, one erasure at a time on the inbox; it ends with its process, in
   * whatever way.
   *
   * @throws HookporterError `inbox_busy` if another one runs, here or in another process; the
   * message names it
   */
  erase<Result>(work: (erasing: Erasing) => Promise<Result>): Promise<Result>;
}

/** The durable record of events. */
export interface Inbox extends RunningInbox, ManagedInbox {}

/** What can be done while an erasure runs. */
export interface Erasing {
  /**
   * Erases all of these entries but their dedup keys, unless they are running; returns the numbers
   * of those that were erased now. They are `handled` then, with the reason `erased`.
   */
  erase(seqs: readonly number[], now: number): Promise<readonly number[]>;
  /**
   * Deletes what is left of erased entries, in small steps, and where the store can also from
   * unused space and its log: also what an erasure left that did not end. Call it after the last
   * ones. Resolves to `undefined` if that is nothing.
   *
   * @throws HookporterError `inbox_busy` if another program keeps the log from being emptied: call
   * it again then
   */
  end(): Promise<Erasure | undefined>;
}

/** A retry at a measured pace that has begun. */
export interface StartedRetry {
  readonly id: number;
  /**
   * Makes entries wait, each due at its time from `from` on; returns how many. Those that are
   * running or handled stay.
   */
  pace(seqs: readonly number[], from: number): Promise<number>;
}

/** How many entries a retry changed. */
export interface Retried {
  /** Waiting and failing ones that are due now. */
  readonly due: number;
  /** Ended ones that run again. */
  readonly ended: number;
}

/** What is stored of an entry that has handlers left: it stays leased. */
export interface Progress
  extends Pick<Settlement, "seq" | "lease" | "finishedHandlers" | "records"> {
  readonly state: "running";
}

/**
 * How a handler's transaction is to end: with a result that is stored last in it, or with nothing.
 * `abandon` is for a handler that may still be running: nothing that it does later may have an
 * effect.
 */
export type InsideEnd = Settlement | Progress | "roll_back" | "abandon";

/**
 * How a handler's transaction ended. `refused`: the lease was lost, so it was rolled back.
 * `unknown`: the connection was lost while it was committed, and the store did not say in time
 * which it was.
 */
export type InsideResult = "committed" | "refused" | "rolled_back" | "unknown";

/** The terms of a handler's transaction. */
export interface InsideTerms {
  /** Milliseconds that the handler may take. */
  readonly timeout: number;
  /** The time of the result, in milliseconds since 1970. */
  readonly now: () => number;
  /** Whether the entry is still leased here: otherwise an unknown result is no longer looked up. */
  readonly isLeased: () => boolean;
}

/** How to open an inbox. */
export interface OpenTerms {
  /**
   * `own` makes the store if there is none, and brings its schema up to date. `change` reads and
   * writes an existing store of the current schema. `read` only reads an existing store. Default
   * `own`.
   */
  readonly access?: "own" | "change" | "read";
  /** Where to report what an operator should know, such as damage. Default: no log. */
  readonly log?: Logger;
  /**
   * Size in bytes of the write-ahead log from which a warning is logged. Read again at each look,
   * since several receivers may share the inbox. Default 256 MiB.
   */
  readonly walLimit?: number;
  /**
   * Called if this process or another may have made entries due: a hint, which may be lost. A file
   * tells nothing, and is polled.
   */
  readonly onDue?: () => void;
  /** Called with the milliseconds that each commit took. */
  readonly onCommit?: (duration: number) => void;
  /** The receiver that opens it. */
  readonly receiver?: LocalReceiver;
}

/** The entries that were erased since the last erasure that ended. */
export interface Erasure {
  readonly entries: number;
  /** When the first of them was erased: milliseconds since 1970. */
  readonly since: number;
}
