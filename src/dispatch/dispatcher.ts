import { describeError, HookporterError } from "../errors.ts";
import type { ClaimedEntry, Inbox, Lease, Settlement } from "../inbox/inbox.ts";
import { leaseToken } from "../inbox/lease.ts";
import { ClaimFailures } from "./claim-failures.ts";
import { Place } from "./place.ts";
import { type Listeners, reportSettled } from "./report-settled.ts";
import { longestDelay } from "./retry.ts";
import { type RunOptions, runEntry } from "./run-entry.ts";
import { RunningEntries } from "./running.ts";
import { type Storing, settleWhileLeased } from "./settle-while-leased.ts";
import { Slots } from "./slots.ts";

/** How entries are taken from the inbox and run. */
export interface DispatcherOptions extends Omit<RunOptions, "signal">, Listeners {
  readonly inbox: Inbox;
  /** The id under which this process is registered with the inbox. */
  readonly runner: string;
  /** The sources whose entries are run. */
  readonly sources: readonly string[];
  /** Entries run at a time. */
  readonly concurrency: number;
  /** Milliseconds a claimed entry is ours without being renewed; renewed after a third of it. */
  readonly leaseMs: number;
  /** Whether a dead letter holds back the later entries of its order key. */
  readonly deadBlocks: boolean;
  /** Milliseconds between looks at the inbox when nothing else gives reason to: what another process redrove. */
  readonly pollMs: number;
}

/**
 * Milliseconds beyond the longest honest wait from which an entry's due time is laid to a clock that was set back. Not
 * less, since another process on this inbox may have a longer lease.
 */
const CLOCK_SLACK = 5 * 60_000;

/** Milliseconds that a due entry may wait while new ones are run at once. */
const MAX_LATE_MS = 100;

/** The longest delay a timer of Node takes. */
const MAX_TIMER = 2 ** 31 - 1;

/** How an entry comes to run. */
interface Turn {
  /** By a claim, rather than with a lease that it was kept with. */
  readonly claimed: boolean;
  /** Beside those whose turn it is. */
  readonly atOnce?: boolean;
  /** What to wait for first. */
  readonly before?: () => Promise<void>;
}

/** Claims due entries, runs their handlers, settles them: the loop between the inbox and the user's code. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #runOptions: RunOptions;
  readonly #running = new RunningEntries();
  readonly #aborter = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  readonly #claims = new Set<Promise<void>>();
  #claiming: Promise<void> | undefined;
  /** Whether there may be due entries that were not looked for yet. */
  #behind = false;
  /** Whether the last look left nothing behind that had waited for long: only then is a new entry run at once. */
  #caughtUp = false;
  /** Entries kept with a lease, until the turn of the event loop in which they begin. */
  #beginning = 0;
  readonly #slots: Slots;
  readonly #claimFailures: ClaimFailures;
  readonly #storing: Storing;
  #started = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#runOptions = { ...options, signal: this.#aborter.signal };
    this.#slots = new Slots(options.concurrency);
    this.#claimFailures = new ClaimFailures(options.log);
    const isLeased = (seq: number) => this.#running.isLeased(seq, options.clock());
    this.#storing = { ...options, isLeased, signal: this.#aborter.signal };
  }

  /** Begins to run what is due, work left by a killed process included once its lease has ended. */
  start(): void {
    this.#started = true;
    this.#renewal = setInterval(() => void this.#renew(), Math.max(10, this.#options.leaseMs / 3));
    this.wake();
  }

  /** Looks for due entries now: call it after an entry was added. Cheap to call often. */
  wake(): void {
    this.#behind = true;
    this.#goOn();
  }

  #goOn(): void {
    if (!this.#behind || !this.#started || this.#claiming !== undefined) return;
    if (this.#slots.isFull) return; // an entry that ends goes on
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = undefined;
      this.#goOn();
    });
  }

  /**
   * Makes room for an entry that is about to be kept; `undefined` where there is none, or others have waited for long. It
   * must be left in any case.
   */
  reserve(): Place | undefined {
    if (!this.#started || !this.#caughtUp || this.#slots.isFull) return undefined;
    const { clock, leaseMs, runner } = this.#options;
    const lease: Lease = { token: leaseToken(runner), until: clock() + leaseMs };
    const free = this.#slots.reserve();
    const begin = () => {
      this.#beginning--;
      free();
    };
    const run = (entry: ClaimedEntry) => {
      this.#beginning++;
      this.#run(entry, { claimed: false, before: () => nextTurn().then(begin) });
    };
    const leave = () => {
      free();
      this.#goOn(); // with what came meanwhile and found no room
    };
    return new Place(lease, run, leave);
  }

  /** How many entries are running here now. */
  get running(): number {
    return this.#slots.taken;
  }

  /**
   * Stops claiming, waits for running handlers, then aborts those that are left and gives their entries back to be run
   * again. Resolves when nothing of the dispatcher is left.
   */
  async stop(graceMs: number): Promise<void> {
    this.#started = false;
    clearTimeout(this.#timer);
    await Promise.allSettled([this.#claiming, ...this.#claims]);
    if (this.#beginning > 0) await nextTurn();
    this.#slots.close();
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
    clearInterval(this.#renewal);
  }

  async #claim(): Promise<void> {
    const { inbox, leaseMs, clock, pollMs, retry, deadBlocks, sources, runner } = this.#options;
    clearTimeout(this.#timer);
    this.#behind = false;
    let wait = pollMs;
    try {
      const { now: limit, ahead } = this.#slots.free;
      const except = this.#unsurelyLeased();
      const horizon = Math.max(longestDelay(retry), leaseMs) + CLOCK_SLACK;
      const terms = { leaseMs, except, horizon, deadBlocks, sources, runner };
      const entries = await inbox.claim({ ...terms, now: clock(), limit, ahead });
      this.#claimFailures.end();
      for (const entry of entries) this.#run(entry, { claimed: true });
      const full = entries.length >= limit + ahead;
      const next = full ? 0 : await inbox.nextRunAt({ except: this.#unsurelyLeased(), deadBlocks, sources });
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
    if (this.#started) this.#timer = setTimeout(() => this.wake(), Math.min(MAX_TIMER, wait));
  }

  /**
   * Runs an entry now, whether or not it is due, beside as many others as there may be; one that is running here already
   * is waited for instead. Gives what became of it; `undefined` where it cannot be run now: it has ended, is leased by
   * another process, or is held back behind its order key.
   */
  async runNow(seq: number): Promise<Settlement | undefined> {
    // Twice: the loop may have claimed it between our look at what runs here and our own claim.
    for (let look = 0; look < 2; look++) {
      await this.#claiming;
      if (!this.#started) return undefined;
      if (this.#running.finished(seq) === undefined) await this.#claimOnly(seq);
      const finished = this.#running.finished(seq);
      if (finished !== undefined) return finished;
    }
    return undefined;
  }

  /** `stop` waits for it, so that no entry is left leased that nobody runs. */
  async #claimOnly(seq: number): Promise<void> {
    const { inbox, clock, leaseMs, deadBlocks, sources, runner } = this.#options;
    const terms = { leaseMs, deadBlocks, sources, runner };
    const claim = inbox.claim({ ...terms, now: clock(), limit: 1, only: seq }).then((entries) => {
      for (const entry of entries) this.#run(entry, { claimed: true, atOnce: true });
    });
    this.#claims.add(claim);
    try {
      await claim;
    } finally {
      this.#claims.delete(claim);
    }
  }

  /**
   * Runs an entry in its turn, or at once, beside those whose turn it is. After one that was claimed others may be due: it
   * may have held them back, or have taken the last of the room.
   */
  #run(entry: ClaimedEntry, turn: Turn): void {
    const finished = this.#runAndSettle(entry, turn);
    this.#running.add(entry, finished);
    void finished.then((settlement) => {
      this.#running.delete(entry.seq);
      if (turn.claimed || settlement === undefined || settlement.state === "pending") this.wake();
      else this.#goOn();
    });
  }

  #unsurelyLeased(): readonly number[] {
    const { clock, leaseMs } = this.#options;
    return this.#running.unsurelyLeased(clock(), leaseMs);
  }

  async #runAndSettle(entry: ClaimedEntry, { before, atOnce }: Turn): Promise<Settlement | undefined> {
    const { log } = this.#options;
    const { seq } = entry;
    try {
      await before?.();
      const run = () => runEntry(entry, this.#runOptions);
      const settlement = await (atOnce === true ? this.#slots.runAtOnce(run) : this.#slots.run(run));
      if (settlement === undefined) {
        await this.#giveBack(entry);
        return undefined;
      }
      this.#goOn(); // with another one, while this one's result is stored
      if (await settleWhileLeased(settlement, this.#storing)) {
        reportSettled(entry, settlement, this.#options);
        return settlement;
      }
      log.warn({ seq }, "finished after its lease had ended; the result was refused, it runs again");
    } catch (thrown) {
      // Not settled: the lease ends by itself and the entry runs again.
      log.error({ seq, error: describeError(thrown) }, "an entry's result could not be stored");
    }
    return undefined;
  }

  /** An entry that stood in line when the receiver was stopped is due again at once, as if it had not been claimed. */
  async #giveBack({ seq, lease, finishedHandlers }: ClaimedEntry): Promise<void> {
    const { inbox, clock } = this.#options;
    const now = clock();
    const back = { state: "pending", reason: null, runAt: now, records: [], uncount: true } as const;
    await inbox.settle({ seq, lease, finishedHandlers, ...back }, now);
  }

  async #renew(): Promise<void> {
    const { inbox, clock, leaseMs, log } = this.#options;
    try {
      await this.#running.renew(inbox, clock() + leaseMs);
    } catch (thrown) {
      log.error({ error: describeError(thrown) }, "leases could not be renewed; their entries may run twice");
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
