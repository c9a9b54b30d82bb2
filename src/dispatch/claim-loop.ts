import type { ClaimRequest } from "../inbox/claim.ts";
import { timerDelay } from "../options/timer-delay.ts";
import { dueTerms } from "./claim-terms.ts";
import type { Claiming } from "./claiming.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { outsideRequests } from "./outside-requests.ts";

/** Milliseconds that a due entry may wait before new ones are no longer run at once. */
export const MAX_LATE_MS = 100;
/** Milliseconds between two looks at an inbox that hears of all entries. */
const HEARD_POLL_MS = 3_600_000;

/** Claims due entries while there is room to run them, and waits for the next to become due. */
export class ClaimLoop {
  readonly #options: DispatcherOptions;
  readonly #claiming: Claiming;
  #timer: NodeJS.Timeout | undefined;
  /** The claim that is under way, if there is one; never rejects. */
  pending: Promise<void> | undefined;
  /** Whether there may be due entries to claim. */
  #isBehind = false;
  #caughtUp = false;
  /** Whether it is only time to look whether there are any, which is less work than a claim. */
  #isPoll = false;
  #started = false;

  constructor(options: DispatcherOptions, claiming: Claiming) {
    this.#options = options;
    this.#claiming = claiming;
  }

  /**
   * Whether the last claim left no entry that was long due, and no kind to others, and nothing was
   * paused: only then is a new entry run at once, since only a claim knows what is paused now.
   */
  get caughtUp(): boolean {
    return this.#started && this.#caughtUp;
  }

  /** @param first - what has to be done before the first claim */
  start(first: () => Promise<void> | undefined): void {
    this.#started = true;
    this.pending = first()?.finally(() => this.#afterClaim());
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
    if (this.#claiming.limit.isFull) return; // the next entry that ends calls this again
    this.pending = outsideRequests
      .runInAsyncScope(() => this.#claim())
      .finally(() => this.#afterClaim());
  }

  #afterClaim(): void {
    this.pending = undefined;
    this.goOn();
  }

  async #claim(): Promise<void> {
    const { inbox, clock, poll } = this.#options;
    const { failures, except, watch } = this.#claiming;
    clearTimeout(this.#timer);
    this.#isBehind = false;
    let wait = poll;
    let isPoll = false;
    try {
      const terms = await dueTerms(this.#options);
      const nextRunAt = () => inbox.nextRunAt({ ...terms, except: except() });
      const polled = this.#isPoll ? await nextRunAt() : clock();
      this.#isPoll = false;
      const isNoneDue =
        polled === undefined || (polled > clock() && polled <= clock() + terms.horizon);
      const next = isNoneDue ? polled : await this.#claimDue(terms, nextRunAt);
      const now = clock();
      const isLate = next !== undefined && next <= now - MAX_LATE_MS;
      const leavesNone = terms.exceptKinds.length === 0 && inbox.isPaused !== true;
      if (inbox.isPaused === true) await watch.look();
      this.#caughtUp = !isLate && leavesNone;
      failures.end();
      if (this.#isBehind) return;
      const longest = leavesNone && inbox.supportsNotify === true ? HEARD_POLL_MS : poll;
      wait = Math.max(0, Math.min(longest, (next ?? Infinity) - now));
      isPoll = wait === longest;
    } catch (thrown) {
      failures.report(thrown);
    }
    if (!this.#started) return;
    this.#timer = setTimeout(() => {
      this.#isPoll = isPoll;
      this.wake();
    }, timerDelay(wait));
  }

  /** Claims and runs due entries; resolves to when the next one is due. */
  async #claimDue(
    terms: Omit<ClaimRequest, "now" | "limit">,
    nextRunAt: () => Promise<number | undefined>,
  ) {
    const { inbox, clock } = this.#options;
    const { limit: concurrency, run, nextTurn, except } = this.#claiming;
    const { now: limit, ahead } = concurrency.room;
    const entries = await inbox.claim({ ...terms, except: except(), now: clock(), limit, ahead });
    // one may have just been kept: its sender is answered first
    if (entries.length > 0) await nextTurn();
    for (const entry of entries) void run(entry, { claimed: true });
    const next = entries.length >= limit + ahead ? 0 : await nextRunAt();
    this.#isBehind ||= entries.length > 0 && next !== undefined && next <= clock();
    return next;
  }
}
