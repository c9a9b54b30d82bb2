import type { Listeners } from "../../base/listeners.ts";
import { retryDelay } from "../../base/options/retry.ts";
import { formatTimestamp } from "../../event/timestamp.ts";
import { fateOf, isMissigned } from "./chaos.ts";
import type { Destination } from "./destination.ts";
import type { SandboxAttempt, SandboxDelivery, SandboxObservation } from "./observation.ts";
import type { SandboxSettings } from "./sandbox-options.ts";

/** A body for one destination: an envelope's bytes, which stay the same for every attempt. */
export interface Consignment {
  readonly event: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly destination: Destination;
}

/** The mutable state of a delivery. */
type Standing = { -readonly [Field in keyof SandboxDelivery]: SandboxDelivery[Field] } & {
  attempts: SandboxAttempt[];
};

/** A delivery in progress. */
interface PendingDelivery extends Consignment {
  readonly number: number;
  readonly standing: Standing;
  timer?: NodeJS.Timeout | undefined;
}

/** The number of deliveries that are kept; above it, the oldest finished ones are dropped. */
export const MAX_KEPT = 1000;

type Terms = Pick<SandboxSettings, "seed" | "chaos" | "retry" | "clock">;

/**
 * Delivers: sends, waits for the confirmation, retries on schedule, and simulates faults. That
 * retries exist is described, but not their number and schedule (service description, "Delivery"),
 * so these are settings.
 */
export class Deliverer {
  readonly #terms: Terms;
  readonly #observers: Listeners<SandboxObservation>;
  readonly #closing = new AbortController();
  /** The latest deliveries, oldest first. */
  readonly #kept: Standing[] = [];
  readonly #open = new Set<PendingDelivery>();
  #count = 0;
  #outageEnds: number | undefined;

  constructor(terms: Terms, observers: Listeners<SandboxObservation>) {
    this.#terms = terms;
    this.#observers = observers;
  }

  /** The latest 1000, oldest first. */
  get deliveries(): readonly SandboxDelivery[] {
    return structuredClone(this.#kept);
  }

  /** Whether an outage is in progress. It starts with the first attempt. */
  get inOutage(): boolean {
    return this.#outageEnds !== undefined && this.#terms.clock() < this.#outageEnds;
  }

  /**
   * Starts to deliver; returns the deliveries' ids: one, or two if chaos duplicates it, none after
   * the end.
   */
  deliver(consignment: Consignment): readonly string[] {
    if (this.#closing.signal.aborted) return [];
    const number = this.#count + 1;
    const fate = fateOf(this.#terms.seed, number, this.#terms.chaos);
    const id = this.#begin(consignment, null, fate.delay);
    if (fate.copyDelay === undefined) return [id];
    return [id, this.#begin(consignment, id, fate.copyDelay)];
  }

  /** Sends at once what waits for its next attempt to a destination. */
  wake(destination: Destination): void {
    for (const way of this.#open) {
      if (way.destination !== destination || way.standing.attempts.length === 0) continue;
      if (way.timer !== undefined) this.#attemptIn(way, 0);
    }
  }

  /** Cancels deliveries to a destination whose signal is aborted. */
  cancel(destination: Destination): void {
    for (const way of this.#open) {
      if (way.destination === destination) this.#end(way, "cancelled");
    }
  }

  /** Ends everything in progress; nothing is sent afterwards. */
  close(): void {
    this.#closing.abort();
    for (const way of this.#open) this.#end(way, "cancelled");
  }

  #begin(consignment: Consignment, copyOf: string | null, delay: number): string {
    const number = ++this.#count;
    const { event, timestamp, destination } = consignment;
    const standing: Standing = {
      id: `del_sandbox_${number}`,
      event,
      timestamp,
      webhook: destination.webhook,
      state: "waiting",
      copyOf,
      attempts: [],
      nextAttemptAt: formatTimestamp(this.#terms.clock() + delay),
    };
    const way: PendingDelivery = { ...consignment, number, standing };
    this.#keep(standing);
    this.#open.add(way);
    way.timer = setTimeout(() => void this.#attempt(way), delay);
    return standing.id;
  }

  #keep(standing: Standing): void {
    this.#kept.push(standing);
    if (this.#kept.length <= MAX_KEPT) return;
    const oldest = this.#kept.findIndex(({ state }) => state !== "waiting" && state !== "sending");
    if (oldest >= 0) this.#kept.splice(oldest, 1);
  }

  async #attempt(way: PendingDelivery): Promise<void> {
    if (!this.#open.has(way)) return;
    way.timer = undefined;
    const { standing, destination, number, body } = way;
    const signal = AbortSignal.any([this.#closing.signal, destination.signal]);
    const { seed, chaos, clock, retry } = this.#terms;
    Object.assign(standing, { state: "sending", nextAttemptAt: null });
    const attempt = standing.attempts.length + 1;
    const at = clock();
    const start = performance.now();
    if (chaos.outage > 0 && this.#outageEnds === undefined) {
      this.#outageEnds = at + chaos.outage;
      this.#observers.notify({ type: "outage", duration: chaos.outage });
    }
    const outage = this.inOutage;
    const missigned = destination.signed && !outage && isMissigned(seed, number, attempt, chaos);
    const { status, error } = outage
      ? { status: null, error: "outage: nothing gets through" }
      : await destination.reach(body, missigned, signal);
    if (!this.#open.has(way)) return;
    const done: SandboxAttempt = {
      attempt,
      at: formatTimestamp(at),
      status,
      error,
      duration: Math.round((performance.now() - start) * 10) / 10,
      chaos: [...(missigned ? ["wrong-signature"] : []), ...(outage ? ["outage"] : [])],
    };
    standing.attempts.push(done);
    const wait = retryDelay(attempt, retry, Math.random());
    if (error === null) this.#end(way, "delivered");
    else if (wait === undefined) this.#end(way, "failed");
    else this.#attemptIn(way, wait);
    this.#observers.notify({ type: "attempt", delivery: structuredClone(standing), attempt: done });
  }

  #attemptIn(way: PendingDelivery, wait: number): void {
    clearTimeout(way.timer);
    const nextAttemptAt = formatTimestamp(this.#terms.clock() + wait);
    Object.assign(way.standing, { state: "waiting", nextAttemptAt });
    way.timer = setTimeout(() => void this.#attempt(way), wait);
  }

  #end(way: PendingDelivery, state: Standing["state"]): void {
    clearTimeout(way.timer);
    this.#open.delete(way);
    Object.assign(way.standing, { state, nextAttemptAt: null });
  }
}
