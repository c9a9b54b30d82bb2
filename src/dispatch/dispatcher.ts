import { setMaxListeners } from "node:events";
import { describeError, HookporterError } from "../errors.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Lease } from "../inbox/lease.ts";
import { leaseToken } from "../inbox/lease.ts";
import type { Settlement } from "../inbox/settlement.ts";
import { TARGET_AWAY } from "../inbox/target-wait.ts";
import { timerDelay } from "../options/timer-delay.ts";
import { ClaimFailures } from "./claim-failures.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import type { EntryRun } from "./entry-run.ts";
import { horizonOf } from "./horizon.ts";
import { reportSettled } from "./report-settled.ts";
import { Reservation } from "./reservation.ts";
import { type RunOptions, runEntry } from "./run-entry.ts";
import { RunningEntries } from "./running.ts";
import { type Storing, settleWhileLeased } from "./settle-while-leased.ts";
import type { TargetQueues } from "./target-queues.ts";
import { Turns } from "./turns.ts";

/** Milliseconds that a due entry may wait before new ones are no longer run at once. */
const MAX_LATE_MS = 100;

/** Claims due entries, runs their handlers and settles them: the loop between the inbox and the user's code. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #runOptions: RunOptions;
  readonly #running = new RunningEntries();
  readonly #aborter = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  readonly #claims = new Set<Promise<void>>();
  #claiming: Promise<void> | undefined;
  /** Whether there may be due entries to claim. */
  #behind = false;
  /** Whether the last claim left no entry that was long due: only then is a new entry run at once. */
  #caughtUp = false;
  /** Entries that were inserted leased and begin in a later turn of the event loop. */
  #beginning = 0;
  readonly #limit: ConcurrencyLimit;
  readonly #claimFailures: ClaimFailures;
  readonly #storing: Storing;
  readonly #turns: Turns;
  readonly #queues: TargetQueues;
  #started = false;
  #stopListening: (() => void) | undefined;

  constructor(given: DispatcherOptions) {
    const options = { ...given, clock: () => given.inbox.now?.() ?? given.clock() };
    // Every running handler listens to this signal and removes its listener when it ends, so there is no leak to warn about.
    setMaxListeners(0, this.#aborter.signal);
    this.#options = options;
    this.#claimFailures = new ClaimFailures(options.log);
    this.#turns = new Turns(options, {
      ...{ failures: this.#claimFailures, horizon: horizonOf(options) },
      run: (entry, how) => this.#run(entry, how),
      except: () => this.#doubtfullyLeased(),
      whileClaiming: (work) => this.#whileClaiming(work),
      wake: () => this.wake(),
    });
    this.#queues = this.#turns.queues;
    this.#runOptions = { ...options, targets: this.#queues, signal: this.#aborter.signal };
    this.#limit = new ConcurrencyLimit(options.concurrency);
    const isLeased = (seq: number) => this.#running.isLeased(seq, options.clock());
    this.#storing = { ...options, isLeased, signal: this.#aborter.signal };
  }

  /** Begins to run due entries, and those of a killed process once their leases have ended. */
  start(): void {
    this.#started = true;
    this.#stopListening = this.#options.inbox.onDue?.(() => this.wake());
    this.#renewal = setInterval(() => void this.#renew(), Math.max(10, this.#options.leaseMs / 3));
    this.#claiming = this.#turns.open()?.finally(() => {
      this.#claiming = undefined;
      this.#goOn();
    });
    this.wake();
  }

  /** Claims due entries now: call it after an entry was kept. Cheap to call often. */
  wake(): void {
    this.#behind = true;
    this.#goOn();
  }

  #goOn(): void {
    if (!this.#behind || !this.#started || this.#claiming !== undefined) return;
    if (this.#limit.isFull) return; // the next entry that ends calls this again
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = undefined;
      this.#goOn();
    });
  }

  /**
   * Reserves room to run an entry that is about to be kept, so that it can be inserted already leased. Returns
   * `undefined` if there is no room, or if other entries are long due. A reservation must always be released.
   */
  reserve(): Reservation | undefined {
    if (!this.#started || !this.#caughtUp || this.#limit.isFull) return undefined;
    const { clock, leaseMs, runner } = this.#options;
    const lease: Lease = { token: leaseToken(runner), until: clock() + leaseMs };
    const free = this.#limit.reserve();
    const begin = () => {
      this.#beginning--;
      free();
    };
    const run = (entry: ClaimedEntry) => {
      this.#beginning++;
      this.#run(entry, { claimed: false, before: () => nextTurn().then(begin) });
    };
    const giveUp = () => {
      free();
      this.#goOn(); // entries kept meanwhile may have found no room
    };
    return new Reservation(lease, run, giveUp);
  }

  /** How many entries this process is running. */
  get running(): number {
    return this.#limit.running;
  }

  /**
   * Stops claiming and waits for running handlers. After `graceMs` it aborts those that are left, whose entries will
   * run again. Resolves when nothing is running any more.
   */
  async stop(graceMs: number): Promise<void> {
    this.#started = false;
    this.#stopListening?.();
    clearTimeout(this.#timer);
    await Promise.allSettled([this.#claiming, ...this.#claims]);
    if (this.#beginning > 0) await nextTurn();
    this.#limit.close();
    const turns = this.#queues.stop();
    let grace: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      grace = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.#running.drained(), over]);
    clearTimeout(grace);
    const message =
      "expected handlers to finish before the receiver closes, got no result: the entry will run again";
    this.#aborter.abort(new HookporterError("closed", message));
    await this.#running.drained();
    await turns;
    clearInterval(this.#renewal);
  }

  async #claim(): Promise<void> {
    const { inbox, leaseMs, clock, pollMs, deadBlocks, sources, runner } = this.#options;
    clearTimeout(this.#timer);
    this.#behind = false;
    let wait = pollMs;
    try {
      const { now: limit, ahead } = this.#limit.room;
      const except = this.#doubtfullyLeased();
      const terms = { leaseMs, except, horizon: horizonOf(this.#options), deadBlocks, sources, runner };
      const entries = await inbox.claim({ ...terms, now: clock(), limit, ahead });
      this.#claimFailures.end();
      for (const entry of entries) this.#run(entry, { claimed: true });
      const full = entries.length >= limit + ahead;
      const next = full
        ? 0
        : await inbox.nextRunAt({ except: this.#doubtfullyLeased(), deadBlocks, sources });
      const now = clock();
      this.#caughtUp = next === undefined || next > now - MAX_LATE_MS;
      if (entries.length > 0 && next !== undefined && next <= now) {
        this.#behind = true;
        return;
      }
      if (next !== undefined) wait = Math.min(pollMs, Math.max(0, next - now));
    } catch (thrown) {
      this.#claimFailures.report(thrown);
    }
    if (this.#started) this.#timer = setTimeout(() => this.wake(), timerDelay(wait));
  }

  /**
   * Runs an entry now, due or not, even beyond the concurrency limit. If it is running here already, waits for that
   * run. Returns its settlement, or `undefined` if it cannot run now: it has ended, another process has leased it, or
   * an earlier entry of its order key holds it back.
   */
  async runNow(seq: number): Promise<Settlement | undefined> {
    // Twice: the loop may claim it after we saw that it was not running, and before our own claim.
    for (let look = 0; look < 2; look++) {
      await this.#claiming;
      if (!this.#started) return undefined;
      if (this.#running.finished(seq) === undefined) await this.#claimOnly(seq);
      const finished = this.#running.finished(seq);
      if (finished !== undefined) return finished;
    }
    return undefined;
  }

  /** Claims one entry. */
  async #claimOnly(seq: number): Promise<void> {
    const { inbox, clock, leaseMs, deadBlocks, sources, runner } = this.#options;
    const terms = { leaseMs, deadBlocks, sources, runner };
    await this.#whileClaiming(async () => {
      const entries = await inbox.claim({ ...terms, now: clock(), limit: 1, only: seq });
      for (const entry of entries) this.#run(entry, { claimed: true, atOnce: true });
    });
  }

  /** `stop` waits for claims, so that no entry stays leased without a run. */
  async #whileClaiming<Result>(work: () => Promise<Result>): Promise<Result> {
    const claim = work();
    const settled = claim.then(
      () => {},
      () => {},
    );
    this.#claims.add(settled);
    try {
      return await claim;
    } finally {
      this.#claims.delete(settled);
    }
  }

  /**
   * Runs an entry and settles it. After a claimed entry others may be due: it may have held them back, or have taken
   * the last of the room.
   */
  #run(entry: ClaimedEntry, how: EntryRun): void {
    const finished = this.#runAndSettle(entry, how).finally(how.onEnd);
    this.#running.add(entry, finished);
    const frees = how.claimed && (how.turn === undefined || entry.orderKey !== null);
    void finished.then((settlement) => {
      this.#running.delete(entry.seq);
      this.#queues.stored(entry.seq);
      if (frees || settlement === undefined || settlement.state === "pending") this.wake();
      else this.#goOn();
    });
  }

  #doubtfullyLeased(): readonly number[] {
    return this.#running.doubtfullyLeased(this.#options.clock(), this.#options.leaseMs);
  }

  async #runAndSettle(
    entry: ClaimedEntry,
    { before, atOnce, turn, onEnd }: EntryRun,
  ): Promise<Settlement | undefined> {
    const { log } = this.#options;
    const { seq } = entry;
    try {
      if ((await before?.()) === false) {
        await this.#giveBack(entry);
        return undefined;
      }
      const isForced = atOnce === true && turn === undefined;
      const options = isForced ? { ...this.#runOptions, targets: this.#queues.atOnce } : this.#runOptions;
      const run = () => runEntry(entry, options, turn);
      const settlement = await (atOnce === true ? this.#limit.runAtOnce(run) : this.#limit.run(run));
      if (settlement === undefined) {
        await this.#giveBack(entry);
        return undefined;
      }
      onEnd?.();
      this.#goOn(); // another entry can run while this one's result is stored
      if (await settleWhileLeased(settlement, this.#storing)) {
        reportSettled(entry, settlement, this.#options);
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
    }
    return undefined;
  }

  /** Makes an entry that was queued when the receiver stopped due again, as if it had not been claimed. */
  async #giveBack({ seq, lease, finishedHandlers, waits = [], dueAt }: ClaimedEntry): Promise<void> {
    const { inbox, clock } = this.#options;
    const now = clock();
    const reason = waits.length === 0 ? null : TARGET_AWAY;
    const back = { state: "pending", reason, runAt: dueAt ?? now, records: [], uncount: true } as const;
    await inbox.settle({ seq, lease, finishedHandlers, ...back }, now);
  }

  async #renew(): Promise<void> {
    const { inbox, clock, leaseMs, log } = this.#options;
    try {
      await this.#running.renew(inbox, clock() + leaseMs);
    } catch (thrown) {
      log.error({ error: describeError(thrown) }, "leases could not be renewed: their entries may run twice");
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
