import type { RetryPolicy } from "../dispatch/retry.ts";

/** Milliseconds, all of them. */
export interface TunnelTiming {
  /** How long a provider may take to name an address. */
  readonly start: number;
  /** How long a lost connection may take to come back by itself before the provider is killed. */
  readonly grace: number;
  /** How long a new address may take to lead here. */
  readonly arrival: number;
  /** How long an address that led here may fail to, while its provider has no complaint. */
  readonly doubt: number;
  /** How often the address is tried while it is online. */
  readonly probeEvery: number;
  /** How long one try may take. */
  readonly probe: number;
  /** How long a tunnel that was never online is tried. */
  readonly patience: number;
  /** After so long online the next restart is quick again. */
  readonly stable: number;
  /** How long a child may take to end when asked to. */
  readonly close: number;
}

/** The defaults. */
export const TUNNEL_TIMING: TunnelTiming = {
  start: 15_000,
  grace: 6000,
  arrival: 20_000,
  doubt: 20_000,
  probeEvery: 30_000,
  probe: 5000,
  patience: 60_000,
  stable: 30_000,
  close: 1500,
};

/** Pauses between two starts of a provider. */
export const RESTARTS: RetryPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  delay: 300,
  factor: 2,
  maxDelay: 15_000,
  jitter: 0.5,
};

/** Pauses between two probes of an address that does not lead here yet. */
export const PROBES: RetryPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  delay: 100,
  factor: 1.5,
  maxDelay: 5000,
  jitter: 0.2,
};
