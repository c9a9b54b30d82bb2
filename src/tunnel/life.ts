import { retryDelay } from "../dispatch/retry.ts";
import { loss } from "./lost.ts";
import { Mailbox } from "./mailbox.ts";
import type { FromChild } from "./messages.ts";
import type { Probe, ProbeResult } from "./probe.ts";
import type { TunnelFailure } from "./provider.ts";
import { PROBES, type TunnelTiming } from "./timing.ts";
import type { StartChild, TunnelChild } from "./tunnel-child.ts";

/** The options of {@link TunnelLife}. */
export interface LifeOptions {
  readonly startChild: StartChild;
  readonly probe: Probe;
  readonly timing: TunnelTiming;
  readonly clock: () => number;
  readonly random: () => number;
  /** Called when a probe through this address has arrived. */
  readonly online: (url: string) => void;
  /** Called when the connection, or the address, is in doubt. */
  readonly doubtful: (why: TunnelFailure) => void;
}

/** How a life ended: through `close`, or for a reason. */
export interface LifeEnd {
  readonly failure: TunnelFailure | undefined;
  /** Milliseconds of its last uninterrupted time online. */
  readonly onlineFor: number;
}

type Mail =
  | FromChild
  | { readonly type: "probed"; readonly number: number; readonly result: ProbeResult }
  | { readonly type: "exit"; readonly how: string }
  | { readonly type: "close" };

/** One child, from its start until it has ended or must be killed. */
export class TunnelLife {
  readonly #options: LifeOptions;
  readonly #mail = new Mailbox<Mail>();
  #url: string | undefined;
  #onlineSince: number | undefined;
  #onlineFor = 0;
  /** When to give up, and why. */
  #deadline: number;
  #verdict = loss("tunnel_silent");
  #nextProbe = Number.POSITIVE_INFINITY;
  /** The current probe. Results of earlier ones, sent before a change, are ignored. */
  #probing = 0;
  #probesFailed = 0;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#deadline = options.clock() + options.timing.start;
  }

  /** Asks the child to end. */
  close(): void {
    this.#mail.put({ type: "close" });
  }

  async run(): Promise<LifeEnd> {
    const { startChild, clock } = this.#options;
    const child = startChild({
      report: (message) => this.#mail.put(message),
      exit: (how) => this.#mail.put({ type: "exit", how }),
    });
    const end = await this.#watch();
    if (this.#onlineSince !== undefined) this.#onlineFor = clock() - this.#onlineSince;
    if (end !== "exit") await this.#end(child, end === "close");
    const failure = typeof end === "string" ? undefined : end;
    return { failure: end === "exit" ? this.#verdict : failure, onlineFor: this.#onlineFor };
  }

  async #watch(): Promise<TunnelFailure | "exit" | "close"> {
    const { clock } = this.#options;
    for (;;) {
      const mail = await this.#mail.take(Math.min(this.#deadline, this.#nextProbe) - clock());
      if (mail?.type === "failed") return mail.failure;
      if (mail?.type === "close") return "close";
      if (mail?.type === "exit") {
        this.#verdict = loss("tunnel_ended", `it ${mail.how}`);
        return "exit";
      }
      if (mail?.type === "up") this.#up(mail.url);
      if (mail?.type === "down") this.#down(loss("tunnel_lost", mail.reason), this.#options.timing.grace);
      if (mail?.type === "probed" && mail.number === this.#probing) this.#probed(mail.result);
      if (clock() >= this.#deadline) return this.#verdict;
      if (clock() >= this.#nextProbe) this.#probe();
    }
  }

  #up(url: string): void {
    const { clock, timing, doubtful } = this.#options;
    if (url !== this.#url) {
      this.#url = url;
      if (this.#onlineSince !== undefined) doubtful(loss("tunnel_lost", "there is a new address"));
      this.#wentOffline();
      this.#deadline = clock() + timing.arrival;
      this.#verdict = loss("tunnel_unreachable");
    }
    this.#probeNow();
  }

  /** Without an address there is no connection to lose. Repeating a loss does not extend its deadline. */
  #down(why: TunnelFailure, patience: number): void {
    const { clock, doubtful } = this.#options;
    if (this.#url === undefined) return;
    this.#deadline = Math.min(this.#deadline, clock() + patience);
    this.#verdict = why;
    if (this.#onlineSince !== undefined) {
      this.#wentOffline();
      doubtful(why);
    }
    this.#probeNow();
  }

  #wentOffline(): void {
    if (this.#onlineSince !== undefined) this.#onlineFor = this.#options.clock() - this.#onlineSince;
    this.#onlineSince = undefined;
  }

  #probeNow(): void {
    this.#probesFailed = 0;
    this.#nextProbe = this.#options.clock();
  }

  #probe(): void {
    const { probe, timing, clock } = this.#options;
    const number = ++this.#probing;
    this.#nextProbe = Number.POSITIVE_INFINITY; // the result schedules the next one
    const timeout = Math.max(1, Math.min(timing.probe, this.#deadline - clock()));
    void probe(this.#url ?? "", timeout).then((result) => this.#mail.put({ type: "probed", number, result }));
  }

  #probed(result: ProbeResult): void {
    const { clock, timing, random, online } = this.#options;
    const now = clock();
    if (result.ok) {
      this.#deadline = Number.POSITIVE_INFINITY;
      this.#nextProbe = now + timing.probeEvery;
      this.#onlineSince ??= now;
      online(this.#url ?? "");
      return;
    }
    const why = loss("tunnel_unreachable", result.reason);
    if (this.#onlineSince !== undefined) this.#down(why, timing.doubt);
    else if (this.#verdict.code === why.code) this.#verdict = why;
    this.#nextProbe = now + (retryDelay(++this.#probesFailed, PROBES, random()) ?? 0);
  }

  /** Ends the child, gracefully if possible, and waits until it is gone. */
  async #end(child: TunnelChild, inPeace: boolean): Promise<void> {
    const { timing } = this.#options;
    if (inPeace) {
      child.close();
      if (await this.#gone(timing.close)) return;
    }
    child.kill();
    await this.#gone(timing.close);
  }

  async #gone(within: number): Promise<boolean> {
    const { clock } = this.#options;
    for (const end = clock() + within; clock() < end; ) {
      if ((await this.#mail.take(end - clock()))?.type === "exit") return true;
    }
    return false;
  }
}
