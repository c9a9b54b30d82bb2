/**
 * Entries come in that are due, or that were just kept. Runs of handlers go out, and a settlement
 * for each entry. No entry is settled by a process whose lease has ended.
 */

import { HookporterError } from "../base/errors.ts";
import { PendingWork } from "../base/pending-work.ts";
import { allowManyListeners } from "../base/stand-ins.ts";
import { withTimeout } from "../base/with-timeout.ts";
import { type ClaimedEntry, type Lease, leaseToken } from "../inbox/claim.ts";
import { hasEnded } from "../inbox/entry-state.ts";
import type { Settlement } from "../inbox/settlement.ts";
import { ClaimLoop } from "./claim-loop.ts";
import { type DrainReport, drain } from "./drain.ts";
import type { ReadyEvent } from "./plan/handler.ts";
import type { Reservation } from "./reservation.ts";
import { Claims } from "./runs/claims.ts";
import { ConcurrencyLimit } from "./runs/concurrency-limit.ts";
import type { DispatcherOptions } from "./runs/dispatcher-options.ts";
import { EntryRunner } from "./runs/entry-runner.ts";
import { leaseRenewal } from "./runs/lease-renewal.ts";
import { RetryWatch } from "./runs/retry-watch.ts";
import { runBudget } from "./runs/run-budget.ts";
import type { Start } from "./runs/run-options.ts";
import { RunningEntries } from "./runs/running.ts";
import { TargetQueues } from "./targets/target-queues.ts";

/**
 * Claims due entries, runs their handlers and settles them: what lies between the inbox and the
 * user's code.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #aborter = new AbortController();
  readonly #stopper = new AbortController();
  readonly #startRenewing: () => () => void;
  readonly #limit: ConcurrencyLimit;
  readonly #running = new RunningEntries();
  readonly #claims: Claims;
  readonly #watch: RetryWatch;
  readonly #runner: EntryRunner;
  readonly #queues: TargetQueues;
  readonly #loop: ClaimLoop;
  readonly #drains = new PendingWork();
  #started = false;
  #stopRenewing: (() => void) | undefined;

  constructor(given: DispatcherOptions) {
    // The store's clock, if it has one, is the same for all processes.
    const { inbox } = given;
    const clock = inbox.now === undefined ? given.clock : () => inbox.now ?? given.clock();
    const options = { ...given, clock };
    // Every running handler listens to this signal and removes its listener when it ends, so there
    // is no leak to warn about.
    allowManyListeners(this.#aborter.signal, this.#stopper.signal);
    this.#options = options;
    const running = this.#running;
    const limit = new ConcurrencyLimit(options.concurrency);
    const watch = new RetryWatch(options);
    const claims = new Claims(options, running);
    const stopping = this.#stopper.signal;
    const { signal } = this.#aborter;
    const runner = new EntryRunner(options, { limit, running, watch, stopping, signal });
    const queues = new TargetQueues(options, claims, runner);
    this.#limit = limit;
    this.#watch = watch;
    this.#claims = claims;
    this.#runner = runner;
    this.#queues = queues;
    this.#loop = new ClaimLoop(options, { claims, limit, watch, runner, queues });
    this.#startRenewing = leaseRenewal(Math.max(10, options.leaseTime / 3), () => runner.renew());
  }

  /**
   * Begins to run due entries, and those of a killed process once their leases have ended. With the
   * role `receive`, only what {@link runNow} and {@link drain} are called for is run.
   */
  start(): void {
    this.#started = true;
    this.#stopRenewing = this.#startRenewing();
    if (this.#options.role === "receive") return;
    this.#loop.start();
  }

  /** Claims due entries now: call it after an entry was kept. Cheap to call often. */
  wake(): void {
    this.#loop.wake();
  }

  /**
   * Reserves room to run an entry that is about to be kept, so that it can be inserted already
   * leased. Returns `undefined` if there is no room, if other entries are long due, or if it may be
   * of a kind that is left to another process. A reservation must always be released.
   */
  reserve(): Reservation | undefined {
    const { clock, leaseTime, runner } = this.#options;
    const limit = this.#limit;
    if (!this.#loop.caughtUp || limit.isFull) return undefined;
    const lease: Lease = { token: leaseToken(runner), until: clock() + leaseTime };
    const free = limit.reserve();
    let isUsed = false;
    return {
      lease,
      run: (kept, ready) => {
        isUsed = true;
        const { seq, key, kind, orderKey, delivery } = kept;
        // Written out: to spread objects into one takes half as long as to read an envelope.
        const entry: ClaimedEntry = {
          seq,
          key,
          kind,
          orderKey,
          delivery,
          lease: lease.token,
          runAt: lease.until,
          attempts: 1,
          finishedHandlers: [],
        };
        void this.#runReserved(entry, ready, free);
      },
      release: () => {
        if (isUsed) return true;
        free();
        this.#loop.goOn(); // entries kept meanwhile may have found no room
        return false;
      },
    };
  }

  async #runReserved(entry: ClaimedEntry, ready: ReadyEvent | undefined, free: () => void) {
    const taken = this.#runner.take(entry);
    await this.#loop.nextTurn();
    free();
    await this.#runner.run(taken, { type: "reserved", targets: this.#queues, ready });
  }

  get running(): number {
    return this.#limit.running;
  }

  /** The entries whose handlers run, or have just ended. */
  get inHandlers(): readonly ClaimedEntry[] {
    return this.#running.inHandlers();
  }

  /**
   * Claims nothing more on its own. What is claimed already runs, until {@link stop}, unless it
   * waits for a target.
   */
  stopClaiming(): void {
    this.#loop.stop();
    void this.#queues.stop();
  }

  /**
   * Stops claiming, and waits for handlers; after `graceMs` it aborts those that are left, whose
   * entries run again.
   */
  async stop(graceMs: number): Promise<void> {
    this.#started = false;
    this.stopClaiming();
    this.#stopper.abort();
    const end = performance.now() + graceMs;
    const claims = Promise.all([this.#loop.pending, this.#claims.settled()]).then(
      () => this.#loop.turn,
    );
    // one may wait for a connection that a handler's transaction holds
    await withTimeout(claims, graceMs, () => undefined);
    this.#limit.close();
    this.#runner.close();
    const turns = this.#queues.stop();
    await withTimeout(
      this.#running.drained(),
      Math.max(0, end - performance.now()),
      () => undefined,
    );
    const message =
      "expected handlers to finish before the receiver closes, got no result: the entry will run again";
    this.#aborter.abort(new HookporterError("closed", message));
    await claims;
    await this.#running.drained();
    await Promise.all([turns, this.#drains.settled()]);
    this.#stopRenewing?.();
  }

  /**
   * Claims and runs what is due, within a time, whether or not it is started. Leaves no timer
   * behind.
   *
   * @param since - when the time began, by `performance.now()`
   * @throws ConfigurationError `option_invalid` if no handler could use its time limit;
   * HookporterError `inbox_…`
   */
  async drain(budgetMs: number, since = performance.now()): Promise<DrainReport> {
    const { handlerTimeout } = this.#options;
    const signals = { stopping: this.#stopper.signal, closing: this.#aborter.signal };
    const budget = runBudget({ budgetMs, since, handlerTimeout, ...signals });
    const stopRenewing = this.#startRenewing();
    const draining = drain(this.#options, {
      claims: this.#claims,
      limit: this.#limit,
      watch: this.#watch,
      runner: this.#runner,
      budget,
    });
    return this.#drains.follow(draining).finally(() => {
      stopRenewing();
      budget.end();
    });
  }

  /**
   * Runs an entry now, due or not, even beyond the concurrency limit. If its handlers are running
   * here already, waits for that run. Returns its settlement, or `undefined` if it cannot run now:
   * it has ended, another process has leased it, or an earlier entry of its order key holds it
   * back.
   */
  async runNow(seq: number): Promise<Settlement | undefined> {
    const running = this.#running;
    // Again: its last result may only be being stored, and the loop may claim it before our own
    // claim.
    for (let look = 0; look < 3; look++) {
      await this.#loop.pending;
      if (!this.#started) return undefined;
      const known = running.findBySeq(seq);
      const isOver = known?.hasRun === true;
      if (known === undefined) await this.#claimOnly(seq);
      const settlement = await running.findBySeq(seq)?.finished;
      // The caller may have seen the result of a run that was over, and asks for another one.
      if (settlement !== undefined && !(isOver && !hasEnded(settlement.state))) return settlement;
    }
    return undefined;
  }

  async #claimOnly(seq: number): Promise<void> {
    const start: Start = { type: "now", targets: this.#queues.atOnce };
    const begun = this.#claims.only(seq).then((entries) => {
      for (const entry of entries) void this.#runner.run(this.#runner.take(entry), start);
    });
    await this.#claims.follow(begun);
  }
}
