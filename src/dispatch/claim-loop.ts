import { setImmediate } from "node:timers/promises";
import { timerDelay } from "../base/options/timer-delay.ts";
import { hasEnded } from "../inbox/entry-state.ts";
import type { Claims } from "./runs/claims.ts";
import type { ConcurrencyLimit } from "./runs/concurrency-limit.ts";
import type { DispatcherOptions } from "./runs/dispatcher-options.ts";
import type { EntryRunner } from "./runs/entry-runner.ts";
import { outsideRequests } from "./runs/outside-requests.ts";
import type { RetryWatch } from "./runs/retry-watch.ts";
import type { TargetQueues } from "./targets/target-queues.ts";

/** Milliseconds that a due entry may wait before new ones are no longer run at once. */
export const MAX_LATE_MS = 100;
/** Milliseconds between two looks at an inbox that hears of all entries. */
const HEARD_POLL_MS = 3_600_000;

interface LoopParts {
  readonly claims: Claims;
  readonly limit: ConcurrencyLimit;
  readonly watch: RetryWatch;
  readonly runner: EntryRunner;
  readonly queues: TargetQueues;
}

/** Claims due entries while there is room to run them, and waits for the next to become due. */
export class ClaimLoop {
  readonly #options: DispatcherOptions;
  readonly #parts: LoopParts;
  #timer: NodeJS.Timeout | undefined;
  /** The claim that is under way, if there is one; never rejects. */
  pending: Promise<void> | undefined;
  /** Whether there may be due entries to claim. */
  #isBehind = false;
  #caughtUp = false;
  /** Whether it is only time to look whether there are any, which is less work than a claim. */
  #isPoll = false;
  #started = false;
  /** The next turn of the event loop, if something waits for it. */
  turn: Promise<void> | undefined;

  constructor(options: DispatcherOptions, parts: LoopParts) {
    this.#options = options;
    this.#parts = parts;
    parts.queues.on("due", () => this.wake());
    parts.runner.on("room", () => this.goOn());
    parts.runner.on("ended", (entry, settlement, start) => {
      // It may have held others back, or have taken the last of the room.
      const frees = entry.orderKey !== null || (start !== "reserved" && start !== "turn");
      if (frees || settlement === undefined || !hasEnded(settlement.state)) this.wake();
      else this.goOn();
    });
  }

  /**
   * Whether the last claim left no entry that was long due, and no kind to others, and nothing was
   * paused: only then is a new entry run at once, since only a claim knows what is paused now.
   */
  get caughtUp(): boolean {
    return this.#started && this.#caughtUp;
  }

  /** Entries that wait for a target get their turn before the first claim. */
  start(): void {
    this.#started = true;
    this.pending = this.#parts.queues.open()?.finally(() => this.#afterClaim());
    this.wake();
  }

  /** Claims nothing more; {@link pending} may have to be waited for. */
  stop(): void {
    this.#started = false;
    clearTimeout(this.#timer);
  }

  /** Claims due entries now. Cheap to call often. */
  wake(): void {
    this.#isBehind = true;
    this.goOn();
  }

  /** Claims if there may be due entries: call it when there is room again. */
  goOn(): void {
    if (!this.#isBehind || !this.#started || this.pending !== undefined) return;
    if (this.#parts.limit.isFull) return; // the next entry that ends calls this again
    this.pending = outsideRequests
      .runInAsyncScope(() => this.#claim())
      .finally(() => this.#afterClaim());
  }

  /** By then the senders of entries that were just kept are answered. */
  nextTurn(): Promise<void> {
    this.turn ??= setImmediate().then(() => {
      this.turn = undefined;
    });
    return this.turn;
  }

  #afterClaim(): void {
    this.pending = undefined;
    this.goOn();
  }

  async #claim(): Promise<void> {
    const { inbox, clock, poll } = this.#options;
    const { claims, watch } = this.#parts;
    clearTimeout(this.#timer);
    this.#isBehind = false;
    let wait = poll;
    let isPoll = false;
    try {
      const terms = await claims.dueTerms();
      const polled = this.#isPoll ? await claims.nextRunAt(terms) : clock();
      this.#isPoll = false;
      const isNoneDue =
        polled === undefined || (polled > clock() && polled <= clock() + terms.horizon);
      const next = isNoneDue ? polled : await this.#claimDue(terms);
      const now = clock();
      const isLate = next !== undefined && next <= now - MAX_LATE_MS;
      const leavesNone = terms.exceptKinds.length === 0 && !inbox.isPaused;
      if (inbox.isPaused) await watch.look();
      this.#caughtUp = !isLate && leavesNone;
      claims.failures.end();
      if (this.#isBehind) return;
      const longest = leavesNone && inbox.supportsNotify ? HEARD_POLL_MS : poll;
      wait = Math.max(0, Math.min(longest, (next ?? Infinity) - now));
      isPoll = wait === longest;
    } catch (thrown) {
      claims.failures.report(thrown);
    }
    if (!this.#started) return;
    this.#timer = setTimeout(() => {
      this.#isPoll = isPoll;
      this.wake();
    }, timerDelay(wait));
  }

  /** Claims and runs due entries; resolves to when the next one is due. */
  async #claimDue(terms: Awaited<ReturnType<Claims["dueTerms"]>>): Promise<number | undefined> {
    const { claims, limit: concurrency, runner, queues } = this.#parts;
    const { now: limit, ahead } = concurrency.room;
    const entries = await claims.due(terms, { limit, ahead });
    const all = entries.map((entry) => runner.take(entry));
    // one may have just been kept: its sender is answered first
    if (all.length > 0) await this.nextTurn();
    for (const taken of all) void runner.run(taken, { type: "due", targets: queues });
    const next = entries.length >= limit + ahead ? 0 : await claims.nextRunAt(terms);
    this.#isBehind ||= entries.length > 0 && next !== undefined && next <= this.#options.clock();
    return next;
  }
}
