import type { RetryPolicy } from "../../base/options/retry.ts";

/** All times are in milliseconds. */
export interface TunnelTiming {
  /** How long a provider may take to report an address. */
  readonly start: number;
  /** How long a lost connection may take to recover by itself before the provider is killed. */
  readonly grace: number;
  /** How long a new address may take to lead here. */
  readonly arrival: number;
  /** How long an address that led here may fail while its provider reports no problem. */
  readonly doubt: number;
  /** How long a new address may fail before the reason is reported. */
  readonly quiet: number;
  /** How often to probe the address while it is online and in use, after silence. */
  readonly probeEvery: number;
  /**
   * The same while it is not in use; also the longest pause between restarts for a dead address, if
   * above 15 s.
   */
  readonly idleProbeEvery: number;
  /** How long an address is in use after a delivery, or after it came online. */
  readonly inUse: number;
  /** The number of probes at the shorter interval; it grows again by one each longer interval. */
  readonly probeBudget: number;
  /** How long one probe may take. */
  readonly probe: number;
  /** How long to retry a tunnel that was never online. */
  readonly patience: number;
  /** After this long online, the next restart is quick again. */
  readonly stable: number;
  /** How long a child may take to end when asked. */
  readonly close: number;
}

/**
 * The default times. A dead address is noticed within `probeEvery` and `probe`, which is less than
 * 30 seconds.
 */
export const TUNNEL_TIMING: TunnelTiming = {
  start: 15_000,
  grace: 6000,
  arrival: 20_000,
  doubt: 20_000,
  quiet: 5000,
  probeEvery: 20_000,
  idleProbeEvery: 20_000,
  inUse: Number.POSITIVE_INFINITY,
  probeBudget: Number.POSITIVE_INFINITY,
  probe: 5000,
  patience: 60_000,
  stable: 30_000,
  close: 1500,
};

/** Delays between two starts of a provider. */
export const RESTARTS: RetryPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  delay: 300,
  factor: 2,
  maxDelay: 15_000,
  jitter: 0.5,
};

/**
 * Milliseconds between two looks whether the network is back, while a restart waits, and for one
 * look: together they are less than a second.
 */
export const LOOK = 450;

/**
 * Milliseconds by which the time of day is ahead of a wait after which the computer has been
 * asleep.
 */
export const SLEPT = 3000;

/** Delays between two probes of an address that does not lead here yet. */
export const PROBES: RetryPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  delay: 100,
  factor: 1.5,
  maxDelay: 5000,
  jitter: 0.2,
};

/**
 * The longest delay between two probes while a provider repairs a connection by itself, in
 * milliseconds.
 */
export const REPAIR_PROBE = 600;
