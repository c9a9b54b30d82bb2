import { EventEmitter } from "node:events";
import type { Link } from "../../base/chain.ts";
import { describeError } from "../../base/errors.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import { hasEnded, stateBeforeRun } from "../../inbox/entry-state.ts";
import { retryOf } from "../../inbox/pause.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import { EntryTransactions, type Transacting } from "../attempts/entry-transactions.ts";
import { type TransactionPlaces, transactionPlaces } from "../attempts/transaction-places.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { outsideRequests } from "./outside-requests.ts";
import type { RetryWatch } from "./retry-watch.ts";
import { runEntry } from "./run-entry.ts";
import type { RunParts, RunStart, Start } from "./run-options.ts";
import type { RunningEntries, RunningEntry } from "./running.ts";
import { type Storing, settleAgain } from "./settle-again.ts";

interface RunnerParts {
  readonly limit: ConcurrencyLimit;
  readonly running: RunningEntries;
  readonly watch: RetryWatch;
  /** Aborted when a shutdown begins. */
  readonly stopping: AbortSignal;
  /** Aborted when a shutdown no longer waits for handlers. */
  readonly signal: AbortSignal;
}

/** An entry whose lease is kept, and its place among those that run. */
export interface Taken {
  readonly own: RunningEntry;
  readonly link: Link<RunningEntry>;
}

/** What a runner tells those that claim. */
interface RunnerEvents {
  /** There may be room for another entry. */
  room: [];
  /** An entry runs no more; the settlement is `undefined` if it was given back. */
  ended: [entry: ClaimedEntry, settlement: Settlement | undefined, start: Start["type"]];
}

/** Runs entries that are leased to this process, renews their leases and settles them. */
export class EntryRunner extends EventEmitter<RunnerEvents> {
  readonly #options: DispatcherOptions;
  readonly #parts: RunnerParts;
  readonly #storing: Storing;
  readonly #places: TransactionPlaces;
  /** `undefined` if the inbox has no transactions for handlers. */
  readonly #transacting: Transacting | undefined;

  constructor(options: DispatcherOptions, parts: RunnerParts) {
    super();
    const { limit, running, signal, stopping } = parts;
    const { inbox, clock } = options;
    this.#options = options;
    this.#parts = parts;
    const isLeased = (seq: number) => running.isLeased(seq, clock());
    this.#storing = { inbox, clock, isLeased, stopping, signal };
    this.#places = transactionPlaces(inbox.insideLimit);
    const yieldPlace: Transacting["yieldPlace"] = (waiting) => {
      const aside = limit.yieldPlace(waiting);
      this.emit("room");
      return aside;
    };
    if (inbox.insideLimit !== undefined)
      this.#transacting = { inbox, clock, places: this.#places, yieldPlace, isLeased };
  }

  /** Gives back entries that wait for a transaction. */
  close(): void {
    this.#places.close();
  }

  /** Keeps the lease of an entry until {@link run} has ended. */
  take(entry: ClaimedEntry): Taken {
    let finish: RunningEntry["finish"] = () => {};
    const finished = new Promise<Settlement | undefined>((resolve) => {
      finish = resolve;
    });
    const leasedUntil = entry.runAt;
    const own = { entry, finished, finish, hasBegun: false, hasRun: false, leasedUntil };
    return { own, link: this.#parts.running.add(own) };
  }

  /** Runs an entry, or gives it back; call it once for what was taken. Never rejects. */
  async run({ own, link }: Taken, start: Start): Promise<Settlement | undefined> {
    const settlement = await outsideRequests.runInAsyncScope(this.#runAndSettle, this, own, start);
    this.#parts.running.remove(link);
    own.finish(settlement);
    this.emit("ended", own.entry, settlement, start.type);
    return settlement;
  }

  async renew(): Promise<void> {
    const { inbox, clock, leaseTime, log } = this.#options;
    try {
      await this.#parts.running.renew(inbox, clock() + leaseTime);
    } catch (thrown) {
      log.error(
        { error: describeError(thrown) },
        "leases could not be renewed: their entries may run twice",
      );
    }
  }

  async #runAndSettle(own: RunningEntry, start: Start): Promise<Settlement | undefined> {
    const { entry } = own;
    const { seq } = entry;
    const { limit, watch } = this.#parts;
    const { log, tracing } = this.#options;
    const trace = start.type === "give_back" ? undefined : tracing?.attempt(entry);
    let stored: Settlement | undefined;
    try {
      if (start.type === "give_back") {
        await this.#giveBack(entry);
        return undefined;
      }
      const parts = this.#partsOf(entry, start, trace);
      const run = () => {
        own.hasBegun = true;
        return parts.budget?.fits() === false ? undefined : runEntry(entry, this.#options, parts);
      };
      const isAtOnce = start.type === "now" || start.type === "turn";
      const settlement = await (isAtOnce ? limit.runAtOnce(run) : limit.run(run));
      if (settlement === undefined) {
        await this.#giveBack(entry);
        return undefined;
      }
      own.hasRun = true;
      if (start.type === "turn") start.tried();
      this.emit("room"); // while this one's result is stored
      if (await this.#store(settlement, parts)) {
        stored = settlement;
        const retry = entry.reason == null ? undefined : retryOf(entry.reason);
        if (retry !== undefined) await watch.note(retry, seq, settlement);
        this.#report(entry, settlement);
        return settlement;
      }
      log.warn(
        { seq },
        "an entry finished after its lease had ended: its result was refused, and it runs again",
      );
    } catch (thrown) {
      // The lease expires and the entry runs again.
      log.error(
        { seq, error: describeError(thrown) },
        "an entry's result could not be stored; it runs again",
      );
    } finally {
      trace?.end(stored);
    }
    return undefined;
  }

  #partsOf(entry: ClaimedEntry, start: RunStart, trace: RunParts["trace"]): RunParts {
    const isAtOnce = start.type === "now" || start.type === "turn";
    const transactions =
      this.#transacting === undefined
        ? undefined
        : new EntryTransactions(entry, this.#transacting, isAtOnce);
    const budget = start.type === "drain" ? start.budget : undefined;
    return {
      ready: start.type === "reserved" ? start.ready : undefined,
      targets: start.type === "drain" ? undefined : start.targets,
      turn: start.type === "turn" ? start.turn : undefined,
      transactions,
      trace,
      signal: budget?.signal ?? this.#parts.signal,
      budget,
    };
  }

  /** Stores what is left to store of a settlement; returns `false` if the lease was lost. */
  async #store(settlement: Settlement, { transactions, signal }: RunParts): Promise<boolean> {
    if (transactions?.end !== undefined) return transactions.end === "stored";
    const records = transactions?.unstored(settlement.records) ?? settlement.records;
    const left = records === settlement.records ? settlement : { ...settlement, records };
    const { inbox, clock } = this.#storing;
    try {
      return await inbox.settle(left, clock());
    } catch (thrown) {
      return await settleAgain(left, { ...this.#storing, signal }, thrown);
    }
  }

  #report(entry: ClaimedEntry, settlement: Settlement): void {
    const { onAttempts, onDead, log } = this.#options;
    const { seq, kind, key, delivery } = entry;
    const { state, reason, problems = [], records, uncount = false } = settlement;
    const failed = (thrown: unknown) =>
      log.error({ seq, error: describeError(thrown) }, "a listener failed");
    // An entry that waits for a process with handlers, or for its turn at a target, was not
    // attempted.
    const onlyWaits =
      !hasEnded(state) &&
      records.length === 0 &&
      (uncount || reason !== null || entry.waits?.length);
    const isNoAttempt = uncount && hasEnded(state);
    const attempted = isNoAttempt ? { ...entry, attempts: entry.attempts - 1 } : entry;
    try {
      if (!onlyWaits) onAttempts(attempted, settlement);
    } catch (thrown) {
      failed(thrown);
    }
    if (state !== "dead") return;
    const error =
      entry.unreadable ?? records.findLast((record) => record.error !== null)?.error ?? null;
    try {
      onDead({ seq, kind, eventId: key.eventId, reason: reason ?? "", problems, error, delivery });
    } catch (thrown) {
      failed(thrown);
    }
  }

  /** Makes an entry due again, as if it had not been claimed. */
  async #giveBack({
    seq,
    lease,
    attempts,
    finishedHandlers,
    waits = [],
    dueAt,
  }: ClaimedEntry): Promise<void> {
    const { inbox, clock } = this.#options;
    const now = clock();
    const reason = waits.length === 0 ? null : TARGET_AWAY;
    const state = stateBeforeRun(attempts - 1, reason);
    const back = { state, reason, runAt: dueAt ?? now, records: [], uncount: true };
    await inbox.settle({ seq, lease, finishedHandlers, ...back }, now);
  }
}
