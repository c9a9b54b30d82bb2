/**
 * A local port comes in. A public address goes out, and what happens to it. No token is on a
 * command line.
 */

import { type RetryPolicy, retryDelay } from "../../base/options/retry.ts";
import { tryToConnect } from "../../http/try-to-connect.ts";
import { type LifeEnd, TunnelLife } from "./life.ts";
import { Mailbox } from "./mailbox.ts";
import type { AddressProbe } from "./probe.ts";
import type { TunnelFailure } from "./provider.ts";
import { LOOK, RESTARTS, SLEPT, TUNNEL_TIMING, type TunnelTiming } from "./timing.ts";
import type { StartChild } from "./tunnel-child.ts";
import type { TunnelEvent, TunnelState } from "./tunnel-event.ts";

/** Whether the host of an address accepts a connection within this many milliseconds. */
type Look = (address: string, timeout: number) => Promise<boolean>;

/**
 * Connects to the host of an address and closes the connection: cheaper than a probe, and no
 * request that a provider counts.
 */
export const isReachable: Look = async (address, timeout) =>
  (await tryToConnect(new URL(address), { timeout, secure: false })) === undefined;

export interface SupervisorOptions {
  readonly startChild: StartChild;
  readonly probe: AddressProbe;
  readonly onEvent: (event: TunnelEvent) => void;
  /** The address of an earlier run, so that a new one is reported as a change. */
  readonly previousUrl?: string | undefined;
  /** Overrides of the default times. */
  readonly timing?: Partial<TunnelTiming>;
  /** A monotonic clock in milliseconds. Default: the process's. */
  readonly clock?: () => number;
  /**
   * The time of day in milliseconds, which goes on while the computer sleeps. Default: the
   * process's.
   */
  readonly timeOfDay?: () => number;
  /** Whether the public address's host can be reached at all. Default: with a connection. */
  readonly look?: Look;
  /** A random number from 0 up to 1. */
  readonly random?: () => number;
}

/**
 * Keeps a tunnel up: starts its provider in a child, considers it online only after a probe through
 * the public address has arrived, kills it if it hangs, and restarts it. A tunnel that was online
 * once is retried for ever, unless its provider reports a permanent failure; one that never was,
 * for `patience` milliseconds.
 */
export class TunnelSupervisor {
  readonly #options: Required<Omit<SupervisorOptions, "timing" | "previousUrl">>;
  readonly #timing: TunnelTiming;
  readonly #wake = new Mailbox<"close">();
  readonly #ended: Promise<void>;
  #life: TunnelLife | undefined;
  #closing = false;
  #url: string | undefined;
  #wasOnline = false;
  #last = "";
  #seen: string | undefined;

  constructor({ timing, previousUrl, ...options }: SupervisorOptions) {
    this.#options = {
      clock: () => performance.now(),
      timeOfDay: Date.now,
      look: isReachable,
      random: Math.random,
      ...options,
    };
    this.#timing = { ...TUNNEL_TIMING, ...timing };
    this.#url = previousUrl;
    this.#ended = this.#run();
  }

  /**
   * Notes a delivery through the public address: while deliveries arrive, no probe is needed. Cheap
   * to call often.
   */
  arrived(): void {
    this.#life?.arrived();
  }

  /** Ends the tunnel; resolves when its child is gone. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#life?.close();
    this.#wake.put("close");
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    const hopelessAt = clock() + this.#timing.patience;
    let failures = 0;
    this.#report("starting");
    while (!this.#closing) {
      const { failure, onlineFor } = await this.#live();
      if (this.#closing || failure === undefined) break;
      const hopeless = !this.#wasOnline && clock() >= hopelessAt;
      if (failure.permanent || hopeless) return this.#report("failed", failure);
      this.#report("restarting", failure);
      failures = onlineFor >= this.#timing.stable ? 1 : failures + 1;
      const pause = retryDelay(failures, this.#restartsAfter(failure), random()) ?? 0;
      await this.#pause(this.#wasOnline ? pause : Math.min(pause, hopelessAt - clock()));
    }
    this.#report("closed");
  }

  /**
   * Waits before the next start, until the network is back or the computer was asleep at the
   * latest.
   */
  async #pause(delay: number): Promise<void> {
    const { clock, timeOfDay, look } = this.#options;
    const end = clock() + delay;
    let wasAway: boolean | undefined;
    while (clock() < end) {
      if (wasAway !== false && this.#url !== undefined) {
        const isAway = !(await look(this.#url, LOOK));
        if (wasAway === true && !isAway) return;
        wasAway = isAway;
      }
      const before = timeOfDay();
      const woken = await this.#wake.take(Math.min(end - clock(), LOOK));
      if (woken !== undefined || timeOfDay() - before > SLEPT) return;
    }
  }

  /**
   * Each restart for a dead address costs probes, so such restarts are as rare as probes of an idle
   * address.
   */
  #restartsAfter({ code }: TunnelFailure): RetryPolicy {
    const rare = code === "tunnel_unreachable" ? this.#timing.idleProbeEvery : 0;
    return { ...RESTARTS, maxDelay: Math.max(RESTARTS.maxDelay, rare) };
  }

  #live(): Promise<LifeEnd> {
    const { startChild, probe, clock, random } = this.#options;
    this.#life = new TunnelLife({
      startChild,
      probe,
      clock,
      random,
      timing: this.#timing,
      online: (url) => this.#online(url),
      doubtful: (why) => this.#report("reconnecting", why),
      unreached: (why) => this.#unreached(why),
    });
    return this.#life.run();
  }

  /**
   * Reports what answers at an address that has never led here; later, the state and its reason say
   * enough.
   */
  #unreached(why: TunnelFailure): void {
    if (this.#wasOnline || this.#seen === why.message) return;
    this.#seen = why.message;
    this.#report("starting", why);
  }

  #online(url: string): void {
    const previousUrl = this.#url === url ? undefined : this.#url;
    this.#url = url;
    this.#wasOnline = true;
    this.#report("online", undefined, previousUrl);
  }

  /**
   * Reports a change. A repetition, such as each failed start during a long outage, is not a
   * change.
   */
  #report(state: TunnelState, failure?: TunnelFailure, previousUrl?: string): void {
    const what = JSON.stringify([state, this.#url, failure?.code, failure?.message]);
    if (what === this.#last) return;
    this.#last = what;
    this.#options.onEvent({
      state,
      url: this.#wasOnline ? this.#url : undefined,
      previousUrl,
      failure,
    });
  }
}
