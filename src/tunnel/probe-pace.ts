import type { TunnelTiming } from "./timing.ts";

/** The times that decide how often an address is probed while it is online. */
export type PaceTiming = Pick<TunnelTiming, "probeEvery" | "idleProbeEvery" | "inUse" | "probeBudget">;

/**
 * Decides when an address that is online is probed next. Nothing is probed while deliveries arrive, since each proves that
 * the address works. In the silence after a delivery, when the next one may be overdue, it is probed often, and rarely if
 * the silence lasts. For providers that count requests, a budget limits the frequent probes.
 */
export class ProbePace {
  readonly #timing: PaceTiming;
  /** The budget left, at the time of the last probe or growth. */
  #left: number;
  #grownAt: number;
  #provenAt: number;
  #usedAt: number;

  constructor(timing: PaceTiming, now: number) {
    this.#timing = timing;
    this.#left = timing.probeBudget;
    this.#grownAt = now;
    this.#provenAt = now;
    this.#usedAt = now;
  }

  /** Notes a delivery through the address, or that the address came online. */
  used(at: number): void {
    this.#usedAt = at;
    this.proven(at);
  }

  /** Notes that the address leads here. */
  proven(at: number): void {
    this.#provenAt = at;
  }

  /** Counts a probe. */
  spend(at: number): void {
    const grown = this.#growth(at);
    this.#left = Math.max(0, Math.min(this.#timing.probeBudget, this.#left + grown) - 1);
    this.#grownAt += grown * this.#timing.idleProbeEvery;
  }

  /** When the next probe is due, if the address is online. */
  get due(): number {
    const { probeEvery, idleProbeEvery, inUse } = this.#timing;
    const often = this.#provenAt - this.#usedAt < inUse && this.#left + this.#growth(this.#provenAt) >= 1;
    return this.#provenAt + (often ? probeEvery : idleProbeEvery);
  }

  #growth(at: number): number {
    return Math.floor((at - this.#grownAt) / this.#timing.idleProbeEvery);
  }
}
