import type { Delivery } from "../event/delivery.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import { changedInAll, changeEntries } from "../inbox/change-entries.ts";
import { type StateCounts, stateCounts } from "../inbox/counts.ts";
import type { Entry } from "../inbox/entry.ts";
import type { EntryFilter } from "../inbox/entry-filter.ts";
import { OPEN_STATES } from "../inbox/entry-state.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { pruneInbox } from "../inbox/prune.ts";
import { heldStore, holdStore, type UsedStore } from "../inbox/shared/held-store.ts";
import {
  checkCounting,
  checkListing,
  checkPruning,
  checkSelection,
  checkSeq,
} from "./options/view-checks.ts";

/** An entry of the inbox, without its delivery. All times are milliseconds since 1970. */
export interface InboxEntry extends Entry {}

/** An entry with all that is kept of it. */
export interface ShownEntry extends InboxEntry {
  /** The delivery with its raw bytes; `undefined` if it was deleted. */
  readonly delivery: Delivery | undefined;
  /** The runs of its handlers, oldest first. */
  readonly runs: readonly AttemptRecord[];
}

/** Which entries: those that match every field. */
export type EntrySelection = Pick<
  EntryFilter,
  | "states"
  | "kinds"
  | "sources"
  | "since"
  | "until"
  | "seqs"
  | "eventId"
  | "targets"
  | "after"
  | "before"
>;

/** Which entries to delete for good. */
export interface PruneOptions {
  /**
   * Milliseconds since they were received, and since they are dated. At least `maxAge` and
   * `maxSkew` of the receiver together: a younger event may be sent again.
   */
  readonly olderThan: number;
  /** Default `handled` and `received`. */
  readonly states?: readonly ("handled" | "received" | "dead")[] | undefined;
  /** Exact sources. Default: all. */
  readonly sources?: readonly string[] | undefined;
}

/**
 * The record of events, to look at and to tidy up. It can be used between `start()` and `close()`
 * of its receiver. A change is stored once its promise resolves.
 *
 * @throws HookporterError `closed`, `inbox_…` if the store fails; ConfigurationError
 * `option_invalid`
 *
 * @example
 * ```ts
 * import type { Receiver } from "hookporter";
 *
 * export async function retryDeadPayments({ inbox }: Receiver): Promise<number> {
 *   const dead = await inbox.list({ states: ["dead"], kinds: ["payment.*"], limit: 20 });
 *   return inbox.retry({ seqs: dead.map(({ seq }) => seq) });
 * }
 * ```
 */
export interface InboxView {
  /**
   * The number of entries in each state; that of handled ones may be an estimate
   * (`handledIsEstimate`) if nothing is selected.
   */
  count(of?: Pick<EntrySelection, "kinds" | "sources" | "since" | "until">): Promise<StateCounts>;
  /**
   * The entries that match, in order of their numbers: the newest `limit` of them. Default: the
   * newest 100 of all.
   */
  list(of?: EntrySelection & { readonly limit?: number }): Promise<readonly InboxEntry[]>;
  /** The entry with this number, its delivery and its runs; `undefined` if there is none. */
  show(seq: number): Promise<ShownEntry | undefined>;
  /**
   * Runs dead and received entries again, with no attempts counted, and makes waiting and failing
   * ones due now; returns how many. Dropped ones stay, unless `seqs` or `eventId` names them.
   */
  retry(of: EntrySelection): Promise<number>;
  /**
   * Makes entries dead letters with the reason `dropped`, which hold back no others; returns how
   * many. A running one is dropped when its run ends, unless it succeeds. Those that have ended are
   * dropped only if `states`, `seqs` or `eventId` names them; handled ones never.
   */
  drop(of: EntrySelection): Promise<number>;
  /**
   * Deletes ended entries for good, in small steps; returns how many. The newest entry stays. A
   * receiver does this itself, as its options say.
   */
  prune(of: PruneOptions): Promise<number>;
}

/** Entries that `list` returns if no limit is given. */
export const LIST_LIMIT = 100;

/** The view of a receiver's store. */
export function viewOf(
  { store, commits }: UsedStore,
  {
    clock,
    maxAge,
    maxSkew,
  }: { readonly clock: () => number; readonly maxAge: number; readonly maxSkew: number },
): InboxView {
  const now = () => store.now ?? clock();
  const view: InboxView = {
    count: async (of = {}) => {
      checkCounting(of);
      const isWhole = Object.values(of).every((value) => value === undefined);
      return stateCounts(await store.counts(isWhole ? undefined : of));
    },
    list: async (given = {}) => {
      checkListing(given);
      const { limit = LIST_LIMIT, ...of } = given;
      return await store.list({ ...filterOf(of), limit });
    },
    show: async (seq) => {
      checkSeq(seq, "seq");
      const [entry] = await store.list({ seq });
      if (entry === undefined) return undefined;
      const [delivery, runs] = await Promise.all([store.delivery(seq), store.attempts(seq)]);
      return { ...entry, delivery, runs };
    },
    retry: async (of) => {
      const filter = filterOf(of);
      const chosen: EntryFilter = isNamed(of) ? filter : { ...filter, dropped: false };
      return changedInAll(await changeEntries(store, "retry", chosen, now()));
    },
    drop: async (of) => {
      const filter = filterOf(of);
      const isBold = isNamed(of) || of.states !== undefined;
      const chosen: EntryFilter = isBold ? filter : { ...filter, states: OPEN_STATES };
      return changedInAll(await changeEntries(store, "drop", chosen, now()));
    },
    prune: async (of) => {
      checkPruning(of, maxAge + maxSkew);
      const { olderThan, states = ["handled", "received"], sources } = of;
      const until = clock() - olderThan;
      const { pruned } = await pruneInbox(store, {
        prune: {
          states,
          receivedUntil: until,
          datedUntil: until,
          ...(sources !== undefined && { sources }),
        },
      });
      return pruned;
    },
  };
  return Object.freeze(holdStore(view, "view", { store, commits }));
}

/** The store behind a receiver. @throws ConfigurationError `option_invalid` */
export function inboxOf(receiver: { readonly inbox: InboxView }): Inbox {
  return viewedBy(receiver).store;
}

/**
 * What is behind a receiver's view, of this or another copy of the package.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function viewedBy(receiver: { readonly inbox: InboxView }): UsedStore {
  return heldStore(
    receiver.inbox,
    "view",
    "a receiver with the inbox that createReceiver gave it",
    "pass the result of createReceiver",
  );
}

function filterOf(selection: EntrySelection): EntryFilter {
  checkSelection(selection);
  return selection;
}

/** Whether single entries are named. */
function isNamed({ seqs, eventId }: EntrySelection): boolean {
  return seqs !== undefined || eventId !== undefined;
}
