import type { TunnelTiming } from "./timing.ts";

/** The times that decide how often an address is probed while it is online. */
export type PaceTiming = Pick<
  TunnelTiming,
  "probeEvery" | "idleProbeEvery" | "inUse" | "probeBudget"
>;

/**
 * Decides when an address that is online is probed next. Nothing is probed while deliveries arrive,
 * since each proves that the address works. In the silence after a delivery, when the next one may
 * be overdue, it is probed often, and rarely if the silence lasts. For providers that count
 * requests, a budget limits the frequent probes.
 */
export function probePace(
  { probeEvery, idleProbeEvery, inUse, probeBudget }: PaceTiming,
  now: number,
) {
  /** The budget left, at the time of the last probe or growth. */
  let left = probeBudget;
  let grownAt = now;
  let provenAt = now;
  let usedAt = now;
  const growth = (at: number) => Math.floor((at - grownAt) / idleProbeEvery);
  return {
    /** Notes a delivery through the address, or that the address came online. */
    used: (at: number) => {
      usedAt = at;
      provenAt = at;
    },
    /** Notes that the address leads here. */
    proven: (at: number) => {
      provenAt = at;
    },
    /** Counts a probe. */
    spend: (at: number) => {
      const grown = growth(at);
      left = Math.max(0, Math.min(probeBudget, left + grown) - 1);
      grownAt += grown * idleProbeEvery;
    },
    /** When the next probe is due, if the address is online. */
    get due() {
      const often = provenAt - usedAt < inUse && left + growth(provenAt) >= 1;
      return provenAt + (often ? probeEvery : idleProbeEvery);
    },
  };
}
