import { describeError } from "../base/errors.ts";
import { unref } from "../base/stand-ins.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { pruneInbox } from "../inbox/prune.ts";
import type { PruneRequest } from "../inbox/prune-request.ts";
import {
  CLOCK_AGREEMENT_TIME,
  type ClockTrust,
  isTrusted,
  trustAt,
  trustAtStart,
} from "./clock-trust.ts";
import type { Settings } from "./options/settings.ts";

/** Milliseconds from the start to the first pruning, and from one to the next. */
const FIRST_PRUNING_DELAY = 5000;
export const PRUNING_INTERVAL = 10 * 60_000;
/**
 * Milliseconds that a running step may take once the receiver closes: a database that hangs must
 * not hold it up.
 */
const LAST_STEP = 5000;

type Ages = Pick<Settings, "clock" | "source" | "maxAge" | "retention" | "deliveryRetention">;
type DeadAges = Pick<Settings, "clock" | "source" | "maxAge" | "retentionDead">;
type Terms = Ages & DeadAges & Pick<Settings, "log">;

/**
 * Prunes the inbox periodically while a receiver runs, except while the wall clock cannot be
 * trusted.
 */
export class Retention {
  readonly #terms: Terms;
  readonly #inbox: Inbox;
  readonly #aborter = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #pending: Promise<void> | undefined;
  #trust: Promise<ClockTrust> | undefined;
  #leapIsLogged = false;

  constructor(terms: Terms, inbox: Inbox) {
    this.#terms = terms;
    this.#inbox = inbox;
  }

  start(): void {
    this.#trust = this.#trustAtStart();
    // If the clock fails now, it is read again at the first pruning.
    this.#trust.catch(() => {
      this.#trust = undefined;
    });
    this.#schedulePruning(FIRST_PRUNING_DELAY);
  }

  /**
   * Ends the schedule; resolves once a running step has ended, or after 5 seconds. Closing the
   * inbox ends the step then.
   */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#aborter.abort();
    if (this.#pending !== undefined) await withTimeout(this.#pending, LAST_STEP, () => undefined);
  }

  #schedulePruning(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#pending = this.#pruneNow().finally(() => {
        if (!this.#aborter.signal.aborted) this.#schedulePruning(PRUNING_INTERVAL);
      });
    }, ms);
    unref(this.#timer);
  }

  async #pruneNow(): Promise<void> {
    const inbox = this.#inbox;
    try {
      const now = await this.#trustedNow();
      if (now === undefined) return;
      // Use the instant that was checked, since the clock may jump between two reads.
      const terms = { ...this.#terms, clock: () => now };
      const { signal } = this.#aborter;
      await pruneInbox(inbox, { ...dueForPruning(terms), signal });
      const dead = deadForPruning(terms);
      if (dead !== undefined) await pruneInbox(inbox, { prune: dead, signal });
    } catch (thrown) {
      if (this.#aborter.signal.aborted) return; // the inbox closed meanwhile
      this.#terms.log.warn(
        { error: describeError(thrown) },
        "the inbox could not be pruned; trying again later",
      );
    }
  }

  /**
   * Read before anything is accepted, since new entries would carry the time of a clock that
   * jumped.
   */
  async #trustAtStart(): Promise<ClockTrust> {
    const now = this.#now();
    // If the last time is not known, assume a jump.
    const last = await lastReceived(this.#inbox, now.wall).catch(() => 0);
    return trustAtStart(now, last);
  }

  async #trustedNow(): Promise<number | undefined> {
    const before = await (this.#trust ?? this.#trustAtStart());
    const { leap, ...trust } = trustAt(this.#now(), before);
    this.#trust = Promise.resolve(trust);
    if (leap !== 0 && !this.#leapIsLogged) {
      this.#leapIsLogged = true;
      const seconds = Math.round(leap / 1000);
      this.#terms.log.warn({ seconds }, "the system clock jumped; pruning paused for an hour");
    }
    return isTrusted(trust) ? trust.last.wall : undefined;
  }

  #now() {
    return { wall: this.#terms.clock(), monotonic: performance.now() };
  }
}

/**
 * When the last entry of any source arrived, ignoring those of the last
 * {@link CLOCK_AGREEMENT_TIME}.
 */
async function lastReceived(inbox: Inbox, now: number): Promise<number | undefined> {
  const [entry] = await inbox.list({ until: now - CLOCK_AGREEMENT_TIME, limit: 1 });
  return entry?.receivedAt;
}

/**
 * What a receiver may prune now. An event must be past its retention and past the age at which it
 * is refused, so that a replay of it is always too old. Dead letters have a retention of their own.
 */
export function dueForPruning({ clock, source, maxAge, retention, deliveryRetention }: Ages) {
  const now = clock();
  const until = { receivedUntil: now - retention, datedUntil: now - maxAge - 1 };
  const sources = [source];
  return {
    prune: { states: ["handled", "received"], ...until, sources },
    slim: { settledUntil: now - deliveryRetention, sources },
  } as const;
}

/** Which dead letters a receiver may prune now; `undefined` if all are kept. */
export function deadForPruning(ages: DeadAges): PruneRequest | undefined {
  const { clock, source, maxAge, retentionDead } = ages;
  if (retentionDead === Number.POSITIVE_INFINITY) return undefined;
  const now = clock();
  const until = { receivedUntil: now - retentionDead, datedUntil: now - maxAge - 1 };
  return { states: ["dead"], ...until, sources: [source] };
}
