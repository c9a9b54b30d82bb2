import { describeError } from "../../errors.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import { hasEnded, stateBeforeRun } from "../../inbox/entry-state.ts";
import { PACED } from "../../inbox/pause.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import type { ClaimLoop } from "../claim-loop.ts";
import type { ConcurrencyLimit } from "../concurrency-limit.ts";
import type { DispatcherOptions } from "../dispatcher-options.ts";
import { outsideRequests } from "../outside-requests.ts";
import type { RetryWatch } from "../retry-watch.ts";
import type { TargetQueues } from "../targets/target-queues.ts";
import { EntryTransactions, type Transacting } from "../transactions/entry-transactions.ts";
import { type TransactionPlaces, transactionPlaces } from "../transactions/transaction-places.ts";
import { runEntry } from "./run-entry.ts";
import type { EntryRun, RunParts } from "./run-options.ts";
import { RunningEntries, type RunningEntry } from "./running.ts";
import { type Storing, settleAgain } from "./settle-again.ts";

interface RunnerParts {
  readonly limit: ConcurrencyLimit;
  readonly queues: TargetQueues;
  readonly watch: RetryWatch;
  /** Aborted when a shutdown begins. */
  readonly stopping: AbortSignal;
  /** Aborted when a shutdown no longer waits for handlers. */
  readonly signal: AbortSignal;
  /**
   * Woken when an entry has ended and others may be due for it; goes on when there is room for
   * another entry.
   */
  readonly loop: Pick<ClaimLoop, "wake" | "goOn">;
}

/** Runs entries that are leased to this process, renews their leases and settles them. */
export class EntryRunner {
  readonly #options: DispatcherOptions;
  readonly #parts: RunnerParts;
  readonly #storing: Storing;
  readonly #places: TransactionPlaces;
  readonly #transacting: Transacting;
  readonly running = new RunningEntries();

  constructor(options: DispatcherOptions, parts: RunnerParts) {
    const { signal, stopping } = parts;
    const { inbox, clock } = options;
    this.#options = options;
    this.#parts = parts;
    const isLeased = (seq: number) => this.running.isLeased(seq, options.clock());
    this.#storing = { inbox, clock, isLeased, stopping, signal };
    this.#places = transactionPlaces(options.inbox.insideLimit);
    const yieldPlace: Transacting["yieldPlace"] = (waiting) => {
      const aside = parts.limit.yieldPlace(waiting);
      parts.loop.goOn();
      return aside;
    };
    this.#transacting = { inbox, clock, places: this.#places, yieldPlace, isLeased };
  }

  /** Gives back entries that wait for a transaction. */
  close(): void {
    this.#places.close();
  }

  /**
   * Runs an entry and settles it; never rejects. After one that was claimed or has an order key
   * others may be due: it may have held them back, or have taken the last of the room.
   */
  run(entry: ClaimedEntry, how: EntryRun): Promise<Settlement | undefined> {
    const own: RunningEntry = {
      entry,
      finished: undefined,
      hasBegun: false,
      hasRun: false,
      leasedUntil: entry.runAt,
    };
    const settled = outsideRequests.runInAsyncScope(() => this.#runAndSettle(own, how));
    const finished = how.onEnd === undefined ? settled : settled.finally(how.onEnd);
    own.finished = finished;
    const running = this.running.add(own);
    const frees = entry.orderKey !== null || (how.claimed && how.turn === undefined);
    void finished.then((settlement) => {
      this.running.remove(running);
      if (settlement === undefined || settlement.waits !== undefined)
        this.#parts.queues.stored(entry.seq);
      if (frees || settlement === undefined || !hasEnded(settlement.state)) this.#parts.loop.wake();
      else this.#parts.loop.goOn();
    });
    return finished;
  }

  leasesInDoubt(): readonly number[] {
    return this.running.leasesInDoubt(this.#options.clock(), this.#options.leaseTime);
  }

  async renew(): Promise<void> {
    const { inbox, clock, leaseTime, log } = this.#options;
    try {
      await this.running.renew(inbox, clock() + leaseTime);
    } catch (thrown) {
      log.error(
        { error: describeError(thrown) },
        "leases could not be renewed: their entries may run twice",
      );
    }
  }

  async #runAndSettle(
    own: RunningEntry,
    { ready, before, begin, atOnce, turn, budget: within, onEnd }: EntryRun,
  ) {
    const { entry } = own;
    const { log } = this.#options;
    const { limit, queues, loop } = this.#parts;
    const { seq } = entry;
    const trace = this.#options.tracing?.attempt(entry);
    let stored: Settlement | undefined;
    try {
      if ((await before?.()) === false) {
        await this.#giveBack(entry);
        return undefined;
      }
      begin?.();
      const isForced = atOnce === true && turn === undefined;
      const { inside } = this.#options.inbox;
      const transactions =
        inside === undefined
          ? undefined
          : new EntryTransactions(entry, this.#transacting, atOnce === true);
      const gate = isForced ? queues.atOnce : queues;
      const targets = within === undefined ? gate : undefined;
      const signal = within?.signal ?? this.#parts.signal;
      const parts: RunParts = { ready, targets, turn, transactions, trace, signal, budget: within };
      const run = () => {
        own.hasBegun = true;
        return within?.fits() === false ? undefined : runEntry(entry, this.#options, parts);
      };
      const settlement = await (atOnce === true ? limit.runAtOnce(run) : limit.run(run));
      if (settlement === undefined) {
        await this.#giveBack(entry);
        return undefined;
      }
      own.hasRun = true;
      onEnd?.();
      loop.goOn(); // another entry can run while this one's result is stored
      if (await this.#store(settlement, transactions, signal)) {
        stored = settlement;
        if (entry.reason?.startsWith(PACED) === true)
          await this.#parts.watch.note(entry, settlement);
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

  /** Stores what is left to store of a settlement; returns `false` if the lease was lost. */
  async #store(
    settlement: Settlement,
    transactions: EntryTransactions | undefined,
    signal: AbortSignal,
  ) {
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

  /**
   * Makes an entry that was queued when the receiver stopped due again, as if it had not been
   * claimed.
   */
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
