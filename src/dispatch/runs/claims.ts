import { describeError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { longestDelay } from "../../base/options/retry.ts";
import { PendingWork } from "../../base/pending-work.ts";
import type { ClaimedEntry, ClaimRequest } from "../../inbox/claim.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import type { RunningEntries } from "./running.ts";

/**
 * Milliseconds beyond the longest wait after which a clock was set back; long, since others may
 * have longer leases.
 */
export const CLOCK_SLACK = 5 * 60_000;

/** What every claim asks for, except when and how many. */
type ClaimTerms = Omit<ClaimRequest, "now" | "limit">;

/** Claims entries for this process, and knows of the claims that are under way. */
export class Claims {
  readonly failures: ClaimFailures;
  readonly #options: DispatcherOptions;
  readonly #running: RunningEntries;
  /** A shutdown waits for them, so that no entry stays leased without a run. */
  readonly #pending = new PendingWork();

  constructor(options: DispatcherOptions, running: RunningEntries) {
    this.#options = options;
    this.#running = running;
    this.failures = new ClaimFailures(options.log);
  }

  /** The terms of a claim of what is due, without the kinds that are left to other processes. */
  async dueTerms() {
    const { sources, leftKinds } = this.#options;
    const exceptKinds =
      leftKinds === undefined ? [] : (await Promise.all(sources.map(leftKinds))).flat();
    return { ...this.#terms(), exceptKinds } satisfies ClaimTerms;
  }

  /** When the next entry is due. */
  nextRunAt(terms: ClaimTerms): Promise<number | undefined> {
    return this.#options.inbox.nextRunAt({ ...terms, except: this.#here() });
  }

  /** Claims what is due. */
  due(
    terms: ClaimTerms,
    room: Pick<ClaimRequest, "limit" | "ahead">,
  ): Promise<readonly ClaimedEntry[]> {
    return this.#claim({ ...terms, ...room, except: this.#here() });
  }

  /** Claims one entry, due or not. */
  only(seq: number): Promise<readonly ClaimedEntry[]> {
    return this.#claim({ ...this.#terms(), only: seq, limit: 1 });
  }

  /** Claims entries that wait for a target. */
  waitingFor(
    waitingFor: NonNullable<ClaimRequest["waitingFor"]>,
    { limit, except }: Required<Pick<ClaimRequest, "limit" | "except">>,
  ): Promise<readonly ClaimedEntry[]> {
    const terms = this.#terms();
    return this.#claim({ ...terms, waitingFor, limit, except: [...this.#here(), ...except] });
  }

  /** Keeps a shutdown waiting until claimed entries run. */
  follow<Result>(work: Promise<Result>): Promise<Result> {
    return this.#pending.follow(work);
  }

  settled(): Promise<void> {
    return this.#pending.settled();
  }

  #claim(request: Omit<ClaimRequest, "now">): Promise<readonly ClaimedEntry[]> {
    const { inbox, clock } = this.#options;
    return inbox.claim({ ...request, now: clock() });
  }

  #terms() {
    const { retry, leaseTime, unhandledAfter = 0, deadBlocks, sources, runner } = this.#options;
    const horizon = Math.max(longestDelay(retry), leaseTime, unhandledAfter) + CLOCK_SLACK;
    return { leaseTime, horizon, deadBlocks, sources, runner } satisfies ClaimTerms;
  }

  /** Entries that run here, but could be claimed again. */
  #here(): readonly number[] {
    return this.#running.leasesInDoubt(this.#options.clock(), this.#options.leaseTime);
  }
}

/** Milliseconds before the same failure is logged again. */
const AGAIN = 60_000;

/** Logs failed claims: a failure at first and then once a minute, rather than at every attempt. */
class ClaimFailures {
  readonly #log: Logger;
  #latest = "";
  #reportedAt = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  report(thrown: unknown): void {
    const error = describeError(thrown);
    if (error === this.#latest && performance.now() - this.#reportedAt < AGAIN) return;
    this.#latest = error;
    this.#reportedAt = performance.now();
    this.#log.error({ error }, "due entries could not be claimed from the inbox; trying again");
  }

  /** Call it when a claim succeeds. */
  end(): void {
    this.#latest = "";
  }
}
