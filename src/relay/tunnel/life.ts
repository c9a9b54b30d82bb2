import { retryDelay } from "../../base/options/retry.ts";
import { timerDelay } from "../../base/options/timer-delay.ts";
import { loss } from "./lost.ts";
import { Mailbox } from "./mailbox.ts";
import type { AddressProbe, ProbeResult } from "./probe.ts";
import { probePace } from "./probe-pace.ts";
import type { TunnelFailure } from "./provider.ts";
import { PROBES, REPAIR_PROBE, type TunnelTiming } from "./timing.ts";
import type { FromChild, StartChild, TunnelChild } from "./tunnel-child.ts";

export interface LifeOptions {
  readonly startChild: StartChild;
  readonly probe: AddressProbe;
  readonly timing: TunnelTiming;
  readonly clock: () => number;
  readonly random: () => number;
  /** Called when a probe through this address has arrived. */
  readonly online: (url: string) => void;
  /** Called when the connection, or the address, is in doubt. */
  readonly doubtful: (why: TunnelFailure) => void;
  /** Called when a new address does not lead here, with what a probe saw. */
  readonly unreached: (why: TunnelFailure) => void;
}

/** How a life ended: through `close`, or for a reason. */
export interface LifeEnd {
  readonly failure: TunnelFailure | undefined;
  /** Milliseconds of its last uninterrupted time online. */
  readonly onlineFor: number;
}

type Mail =
  | FromChild
  | { readonly type: "probed"; readonly probe: SentProbe; readonly result: ProbeResult }
  | { readonly type: "exit"; readonly how: string }
  | { readonly type: "sooner" } // the next probe is due sooner than it was
  | { readonly type: "close" };

interface SentProbe {
  /** Counts the changes before it: a result from before a change is ignored. */
  readonly era: number;
  readonly number: number;
  /** Whether it had less time than a probe usually has, since a deadline was near. */
  readonly hurried: boolean;
}

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
  readonly #pace: ReturnType<typeof probePace>;
  #era = 0;
  #lastProbe = 0;
  /** Whether the last probe's result is awaited. */
  #awaited = false;
  #probesFailed = 0;
  /** What the last probe saw, if the address does not lead here. */
  #seen: string | undefined;
  /** The address is new since then, and has not led here yet. */
  #newSince: number | undefined;

  constructor(options: LifeOptions) {
    this.#options = options;
    const now = options.clock();
    this.#deadline = now + options.timing.start;
    this.#pace = probePace(options.timing, now);
  }

  /** Notes a delivery through the public address, which proves that it leads here. */
  arrived(): void {
    const before = this.#pace.due;
    this.#pace.used(this.#options.clock());
    if (this.#pace.due < before) this.#mail.put({ type: "sooner" });
  }

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
      const mail = await this.#mail.take(Math.min(this.#deadline, this.#probeDue) - clock());
      if (mail?.type === "failed") return mail.failure;
      if (mail?.type === "close") return "close";
      if (mail?.type === "exit") {
        this.#verdict = loss("tunnel_ended", `it ${mail.how}`);
        return "exit";
      }
      if (mail?.type === "up") this.#up(mail.url);
      if (mail?.type === "down") this.#down(mail.reason);
      if (mail?.type === "probed" && mail.probe.era === this.#era)
        this.#probed(mail.probe, mail.result);
      if (clock() >= this.#deadline) return this.#verdictWithSight();
      if (clock() >= this.#probeDue) this.#probe();
    }
  }

  #up(url: string): void {
    const { clock, timing, doubtful } = this.#options;
    if (url !== this.#url) {
      this.#url = url;
      if (this.#onlineSince !== undefined) doubtful(loss("tunnel_lost", "there is a new address"));
      this.#wentOffline();
      this.#newSince = clock();
      this.#deadline = this.#newSince + timing.arrival;
      this.#verdict = loss("tunnel_unreachable");
    }
    this.#probeNow();
  }

  /** Without an address there is no connection to lose. */
  #down(reason: string): void {
    if (this.#url === undefined) return;
    this.#doubt(loss("tunnel_lost", reason), this.#options.timing.grace);
    this.#probeNow();
  }

  /** Repeating a doubt does not extend its deadline. */
  #doubt(why: TunnelFailure, patience: number): void {
    const { clock, doubtful } = this.#options;
    this.#deadline = Math.min(this.#deadline, clock() + patience);
    this.#verdict = why;
    if (this.#onlineSince === undefined) return;
    this.#wentOffline();
    doubtful(why);
  }

  #wentOffline(): void {
    if (this.#onlineSince !== undefined)
      this.#onlineFor = this.#options.clock() - this.#onlineSince;
    this.#onlineSince = undefined;
  }

  #probeNow(): void {
    this.#era++;
    this.#awaited = false;
    this.#seen = undefined;
    this.#probesFailed = 0;
    this.#nextProbe = this.#options.clock();
  }

  get #probeDue(): number {
    const isIdle = this.#onlineSince !== undefined && !this.#awaited;
    return isIdle ? Math.min(this.#nextProbe, this.#pace.due) : this.#nextProbe;
  }

  #probe(): void {
    const { probe, timing, clock } = this.#options;
    const now = clock();
    const left = this.#deadline - now;
    const sent = { era: this.#era, number: ++this.#lastProbe, hurried: left < timing.probe };
    this.#awaited = true;
    // While the provider repairs the connection, a probe that hangs must not delay the next. Else
    // the result schedules it.
    this.#nextProbe = this.#isRepairing ? now + REPAIR_PROBE : Number.POSITIVE_INFINITY;
    this.#pace.spend(now);
    const timeout = Math.max(1, timerDelay(Math.min(timing.probe, left)));
    void probe(this.#url ?? "", timeout).then((result) =>
      this.#mail.put({ type: "probed", probe: sent, result }),
    );
  }

  #probed(sent: SentProbe, result: ProbeResult): void {
    const { timing, clock, random } = this.#options;
    const now = clock();
    if (result.ok) {
      this.#arrivedHere(now);
      return;
    }
    if (sent.number !== this.#lastProbe) {
      this.#seen ??= result.reason;
      return;
    }
    this.#awaited = false;
    // A probe that had too little time says less than the one before it.
    if (this.#seen === undefined || !sent.hurried || result.timedOut !== true)
      this.#seen = result.reason;
    if (this.#onlineSince !== undefined)
      this.#doubt(loss("tunnel_unreachable", this.#seen), timing.doubt);
    else if (this.#verdict.code === "tunnel_unreachable") this.#unreached(now);
    const pause = retryDelay(++this.#probesFailed, PROBES, random()) ?? 0;
    this.#nextProbe = now + (this.#isRepairing ? Math.min(pause, REPAIR_PROBE) : pause);
  }

  #arrivedHere(now: number): void {
    this.#era++; // other probes that were sent have nothing to add
    this.#awaited = false;
    this.#probesFailed = 0;
    this.#seen = undefined;
    this.#newSince = undefined;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#nextProbe = Number.POSITIVE_INFINITY; // the pace decides
    if (this.#onlineSince === undefined) this.#pace.used(now);
    else this.#pace.proven(now);
    this.#onlineSince ??= now;
    this.#options.online(this.#url ?? "");
  }

  #unreached(now: number): void {
    const { timing, unreached } = this.#options;
    this.#verdict = loss("tunnel_unreachable", this.#seen);
    if (this.#newSince !== undefined && now - this.#newSince >= timing.quiet)
      unreached(this.#verdict);
  }

  /** Whether the provider has reported a loss that it may repair by itself. */
  get #isRepairing(): boolean {
    return this.#verdict.code === "tunnel_lost" && this.#onlineSince === undefined;
  }

  /** Why it is given up: with a loss that the provider reported, also what the last probe saw. */
  #verdictWithSight(): TunnelFailure {
    const { code, message } = this.#verdict;
    if (code !== "tunnel_lost" || this.#seen === undefined) return this.#verdict;
    return { ...this.#verdict, message: `${message}; the public address: ${this.#seen}` };
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
