import type { AgeLimits } from "../event/age.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import type { Rejection } from "../event/read-envelope.ts";
import type { Logger } from "../logger.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "./prune-request.ts";

/**
 * Where an entry stands. `pending` waits for `runAt`; `running` is leased until `runAt`; `done` ended well; `dead` will
 * not run again unless redriven; `unhandled` had no handler when its turn came, and can be redriven once it has one.
 */
export type EntryState = "pending" | "running" | "done" | "dead" | "unhandled";

/** Every state, in the order of an entry's life. */
export const ENTRY_STATES: readonly EntryState[] = ["pending", "running", "done", "dead", "unhandled"];

/** A verified delivery to keep. */
export interface NewEntry {
  readonly key: DedupKey;
  readonly kind: string | null;
  /** The envelope's timestamp in milliseconds since 1970; `null` where it has none that can be read. */
  readonly eventTimestamp: number | null;
  readonly state: "pending" | "dead";
  /** Why it is dead, as a stable code. */
  readonly reason: string | null;
  /** Entries of one source and order key run one after another, in order of arrival; `null` asks for no order. */
  readonly orderKey: string | null;
  readonly delivery: Delivery;
  /** When it may first be claimed in its turn; {@link ClaimRequest.only} can claim it sooner. Default: at its arrival. */
  readonly runAt?: number;
  /** Keeps it even where its key may have been pruned: for what somebody redrives on purpose. */
  readonly afterPruning?: boolean;
  /** For a pending entry without an order key: as if it were claimed in the moment it is kept. */
  readonly lease?: Lease | undefined;
}

/** Who runs an entry, and until when nobody else may. */
export interface Lease {
  /** Starts with the id of the {@link Runner} that holds it and a dot, if the process has registered. */
  readonly token: string;
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
}

/** What keeping a delivery gave: its entry, and whether that entry was there already. */
export interface Appended {
  readonly seq: number;
  readonly duplicate: boolean;
  /** That of a new entry as it was given, whether or not it was leased. */
  readonly state: EntryState;
  /** Whether it got the lease that it came with, and so is for whoever asked to run. An inbox may leave it to claims. */
  readonly leased?: boolean;
}

/** What decides how authentic bytes are kept, where nothing of it is the user's own code. Times are milliseconds. */
export interface KeepTerms extends AgeLimits {
  readonly source: string;
  /** Since 1970. */
  readonly now: number;
  /** From its arrival until a new entry runs in its turn. */
  readonly holdMs: number;
  /** For a new entry that may run at once. */
  readonly lease?: Lease | undefined;
}

/** What became of authentic bytes: an event's entry, or a dead letter. */
export type Kept = KeptEvent | KeptRejected;

/** An event's entry, new or known. */
export interface KeptEvent extends Appended {
  readonly key: DedupKey;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The same for an event that was only dated anew. */
  readonly content: string;
  /** Whether `data` fits its kind's schema. */
  readonly fits: boolean;
}

/** A dead letter of its own, so that it never stands in the way of the event it may be. */
export interface KeptRejected extends Appended {
  readonly rejection: Rejection;
  readonly eventId: string;
  /** What could be read of it. */
  readonly kind: string | null;
  readonly timestamp: number | null;
}

/** One entry: everything but its delivery's headers and body. All times are milliseconds since 1970. */
export interface Entry {
  /** Arrival order within the inbox; the entry's short name. */
  readonly seq: number;
  readonly key: DedupKey;
  readonly kind: string | null;
  readonly eventTimestamp: number | null;
  readonly state: EntryState;
  readonly reason: string | null;
  readonly orderKey: string | null;
  readonly receivedAt: number;
  /** When it may be claimed next; for a running entry, when its lease ends. */
  readonly runAt: number;
  /** Counted when claimed, so an entry that kills the process still runs out of them. */
  readonly attempts: number;
  /** How often the same event came again. */
  readonly duplicates: number;
  readonly lastSeenAt: number;
  /** When it reached `done`, `dead` or `unhandled`. */
  readonly settledAt: number | null;
  /** Names of the handlers that are done with it: they do not run again on a retry. */
  readonly finishedHandlers: readonly string[];
  /** SHA-256 of the body, hex. */
  readonly bodyHash: string;
  /** Bytes of the body. */
  readonly bodyLength: number;
}

/** An entry that this process has leased: what running it takes. */
export interface ClaimedEntry extends Pick<Entry, "seq" | "key" | "kind" | "orderKey" | "finishedHandlers"> {
  /** Why its delivery cannot be read: the store is damaged there. The delivery is empty then. */
  readonly unreadable?: string | undefined;
  /** The lease's token: a completion that does not carry the current one is refused. */
  readonly lease: string;
  /** When the lease ends. */
  readonly runAt: number;
  /** Which attempt it is, from 1. */
  readonly attempts: number;
  readonly delivery: Delivery;
}

/** How one run of one handler ended. */
export interface AttemptRecord {
  /** Which attempt of the entry this was, from 1. */
  readonly attempt: number;
  /** The handler's name; the entry's own outcome (no handler, data that does not fit) has none and leaves no record. */
  readonly handler: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: "ok" | "error" | "timeout";
  /** At most 2 KiB of text. */
  readonly error: string | null;
  /** What the handler noted, such as its target's answer, however it ended. At most 2 KiB of text. */
  readonly note: string | null;
}

/** What becomes of a leased entry. */
export interface Settlement {
  readonly seq: number;
  readonly lease: string;
  readonly state: Exclude<EntryState, "running">;
  readonly reason: string | null;
  /** When it may run again, for `pending`. */
  readonly runAt: number;
  readonly finishedHandlers: readonly string[];
  readonly records: readonly AttemptRecord[];
  /** Gives the attempt back: it was ended by a shutdown, not by the entry. */
  readonly uncount?: boolean;
  /** That the entry has no order key, so that nobody waits for its end: it need not be looked up. */
  readonly unordered?: boolean;
}

/** What to claim. All times are milliseconds. */
export interface ClaimRequest {
  readonly now: number;
  readonly limit: number;
  readonly leaseMs: number;
  /**
   * So many more than `limit` of those that are due, to run soon, as far as they were never claimed before: one that may
   * have ended a process must not use up attempts of entries that only stood in line. Default 0.
   */
  readonly ahead?: number;
  /** Entries that are running here already: not given again, even after their lease has ended. Default none. */
  readonly except?: readonly number[];
  /**
   * How far ahead of `now` an entry can honestly be due. One due later than that was dated by a clock that has been set
   * back since, and counts as due. Default: however far.
   */
  readonly horizon?: number;
  /** Whether a dead letter holds back the later entries of its order key. Default not. */
  readonly deadBlocks?: boolean;
  /** Claims this entry alone, and does not wait until it is due. Not one that is leased, nor one that is held back. */
  readonly only?: number;
  /** Only entries of these sources. Default all. */
  readonly sources?: readonly string[];
  /** The id under which this process is registered: lease tokens start with it. Default: not registered. */
  readonly runner?: string;
}

/** Which entries to list or redrive. Everything given must hold. */
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
  /** Entries with a higher number. */
  readonly after?: number;
  /** Entries with a lower number. */
  readonly before?: number;
  /**
   * Entries that have this text in their event id or in their body's bytes, without regard to the case of a to z. Looks at
   * whole bodies: bound it with `after` and `before`.
   */
  readonly text?: string;
  /** At most so many, newest first. */
  readonly limit?: number;
}

/** A process that runs entries, as it registers with an inbox. */
export interface Runner {
  /** Random, new with each start. Its lease tokens start with it and a dot. */
  readonly id: string;
  /** The version of hookporter. */
  readonly version: string;
  /** What it does with the inbox. */
  readonly role: "both";
  /** The sources whose entries it runs. */
  readonly sources: readonly string[];
  /** Kinds and patterns that it has handlers for. */
  readonly kinds: readonly string[];
}

/** How to open an inbox. */
export interface OpenTerms {
  /**
   * `own`: make the store if there is none, and bring its schema up to date. `change`: read and write one that exists and
   * is up to date. `read`: read one that exists, and write nothing. Default `own`.
   */
  readonly access?: "own" | "change" | "read";
  /** Where to report what an operator should know, such as damage. Default: nowhere. */
  readonly log?: Logger;
  /** Bytes that a log beside the store may reach before a warning. Default 256 MiB. */
  readonly walLimit?: number;
}

/**
 * The durable record of events. Every method rejects with a `HookporterError` whose code starts with `inbox_` when the
 * store fails; whatever resolves is committed.
 */
export interface Inbox {
  /** Opens the store. */
  open(terms?: OpenTerms): Promise<void>;
  /**
   * Registers this process, or updates what it registered; until `close`. Leases of a registered process that is known to
   * be dead end at once. Resolves once those of dead processes have ended.
   */
  register?(runner: Runner): Promise<void>;
  /**
   * Why deliveries must not be acknowledged: the store is damaged in a way that stops handling. `undefined` as long as no
   * such damage was seen.
   */
  readonly damage?: string | undefined;
  /**
   * Keeps a delivery, or counts it as a duplicate of the entry that has its key. Resolves after the commit; with
   * `undefined`, and nothing kept, for a pending entry so old that its key may have been pruned, since it could run twice.
   */
  append(entry: NewEntry): Promise<Appended | undefined>;
  /**
   * Reads the bytes of a delivery that is authentic, and keeps what they are. An inbox that can do so beside the thread
   * that receives may have it; for others, and where the user's own code has a say, the receiver reads and appends.
   */
  keep?(delivery: Delivery, terms: KeepTerms): Promise<Kept>;
  /** Counts a duplicate if the key is known; otherwise does nothing. */
  touch(key: DedupKey, at: number): Promise<Appended | undefined>;
  /**
   * Leases entries that are due: pending ones, and running ones whose lease has ended, but none that an earlier entry of
   * its order key holds back. Counts an attempt for each.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]>;
  /** Prolongs leases; gives those that are no longer ours. */
  renew(leases: readonly { seq: number; lease: string }[], until: number): Promise<readonly number[]>;
  /** Ends a lease with a result; `false` when the lease was not ours any more, and nothing changed. */
  settle(settlement: Settlement, now: number): Promise<boolean>;
  /** When the next entry is due that could be claimed then; `undefined` when none is waiting. */
  nextRunAt(request?: Pick<ClaimRequest, "except" | "deadBlocks" | "sources">): Promise<number | undefined>;
  /** Makes dead and unhandled entries pending again, with their attempts counted anew; gives how many. */
  redrive(filter: EntryFilter, now: number): Promise<number>;
  /** Entries by arrival; the newest `limit` of them, still oldest first, where a limit is given. */
  list(filter: EntryFilter): Promise<readonly Entry[]>;
  /** Drops ended entries with all that belongs to them, a step of them. What was dropped is never taken for new again. */
  prune(request: PruneRequest, step: Step): Promise<StepResult>;
  /** Drops the deliveries of entries that are done, a step of them. */
  slim(request: SlimRequest, step: Step): Promise<StepResult>;
  /** An entry's delivery; `undefined` where there is no such entry, or its delivery was dropped. */
  delivery(seq: number): Promise<Delivery | undefined>;
  /** An entry's handler runs, oldest first. */
  attempts(seq: number): Promise<readonly AttemptRecord[]>;
  /** How many entries stand in each state. */
  counts(): Promise<Readonly<Record<EntryState, number>>>;
  /** Waits for what is under way and closes the store. */
  close(): Promise<void>;
}
