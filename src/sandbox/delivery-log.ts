/** Where a delivery of the sandbox stands. */
export type SandboxDeliveryState = "waiting" | "sending" | "delivered" | "failed" | "cancelled";

/** One attempt to deliver. */
export interface SandboxAttempt {
  /** From 1. */
  readonly attempt: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** What the endpoint answered; `null` where no answer came, and for a stream. */
  readonly status: number | null;
  /** Why it failed, in one line; `null` where it did not. */
  readonly error: string | null;
  readonly durationMs: number;
  /** What went wrong on purpose: `wrong-signature`, `outage`. */
  readonly chaos: readonly string[];
}

/** One delivery of an event to one subscription, or to the stream, as the log shows it. */
export interface SandboxDelivery {
  readonly id: string;
  readonly event: string;
  /** The envelope's timestamp. */
  readonly timestamp: string;
  /** The subscription, as the envelope names it. */
  readonly webhook: { readonly id: string; readonly url: string };
  readonly state: SandboxDeliveryState;
  /** The delivery that this one repeats on purpose; `null` for most. */
  readonly copyOf: string | null;
  readonly attempts: readonly SandboxAttempt[];
  /** ISO 8601 UTC; `null` where none will follow. */
  readonly nextAttemptAt: string | null;
}

/** Deliveries kept in the log; beyond that, the oldest that have ended are dropped. */
const MAX_KEPT = 1000;

/** The latest deliveries, oldest first. */
export class DeliveryLog<Kept extends Pick<SandboxDelivery, "state">> {
  #kept: Kept[] = [];

  add(delivery: Kept): void {
    this.#kept.push(delivery);
    if (this.#kept.length <= MAX_KEPT) return;
    const oldest = this.#kept.findIndex(({ state }) => state !== "waiting" && state !== "sending");
    if (oldest >= 0) this.#kept.splice(oldest, 1);
  }

  get all(): readonly Kept[] {
    return this.#kept;
  }
}
