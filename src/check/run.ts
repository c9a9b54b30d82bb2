import { isBrokenOff, isIn, mayBeSignature } from "./answer.ts";
import { type CaseId, type CheckCase, CONTROL } from "./catalogue.ts";
import { expectsConfirmation } from "./check-case.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import type { StopCode } from "./codes.ts";
import { isValid, type ProbeExchange } from "./delivery.ts";
import type { FoundCauses } from "./diagnosis.ts";
import type { Fault } from "./fault.ts";
import { atRandom, notApplicable, stoppedReceiver } from "./judge.ts";
import { isRateLimited, type LimitState, watchLimits } from "./limits.ts";
import { howMixed, isTakenAgain, type MixedAnswers } from "./mixed.ts";
import type { Pace } from "./pace.ts";
import { Probe, type ProbeOptions } from "./probe.ts";
import type { Absence } from "./reachable.ts";
import { isSigned, ReceiverWatch } from "./receiver-watch.ts";
import { runCounter } from "./run-counter.ts";
import { explainControl, sendCase } from "./send-case.ts";
import type { Stop } from "./stop.ts";

/**
 * After this many cases of refusals alone, a valid delivery shows that they were not refused for
 * another reason.
 */
const MAX_UNPROVEN_CASES = 10;
/** How often a case is run again because the receiver refused everything in between. */
const REPEATS = 3;

/** The cases of one run, one after another or several at a time. */
export class Run {
  readonly results: CheckResult[] = [];
  stopped: Stop | null = null;
  found: FoundCauses = {};
  /** The first forged delivery of each case that was confirmed, by the case's id. */
  readonly confirmed = new Map<CaseId, ProbeExchange>();
  readonly limits: ReturnType<typeof watchLimits>;
  readonly #watch: ReceiverWatch;
  readonly #began = performance.now();
  #mixed: Promise<MixedAnswers> | undefined;
  readonly #options: CheckOptions;
  readonly #probing: ProbeOptions;
  readonly #ready = new Map<number, CheckResult>();
  /**
   * Cases that sent only what is refused, since the last valid delivery that was accepted, and
   * their places among all.
   */
  #unproven: { readonly one: CheckCase; readonly at: number }[] = [];
  /** Whether the control was not confirmed, so that a refusal proves nothing. */
  #isPointless = false;
  /**
   * The latest case that sent something. It is published with the next one, which may find that
   * this one stopped the receiver.
   */
  #latest:
    | { readonly one: CheckCase; readonly at: number; readonly exchanges: readonly ProbeExchange[] }
    | undefined;

  constructor(options: CheckOptions, runName: string, pace: Pace) {
    const { observer, ...others } = options;
    this.#options = options;
    this.#probing = {
      ...others,
      runName,
      pace,
      ...(observer && { countRuns: runCounter(observer, options) }),
    };
    this.#watch = new ReceiverWatch(options, () => this.extraProbe());
    const { wait, onWait } = options;
    this.limits = watchLimits({
      requests: () => pace.requests,
      timeLeft: () => this.#timeLeft(),
      ...(wait && { wait }),
      ...(onWait && { onWait }),
      sendValid: () => {
        const probe = this.extraProbe();
        return probe.post(probe.body());
      },
    });
  }

  /**
   * Runs a case. Its result is published when those before it are, and refusals when they are
   * proven.
   */
  async runCase(checkCase: CheckCase, at: number): Promise<void> {
    const { result, exchanges } = await this.#run(checkCase);
    if (checkCase.id === CONTROL)
      this.#isPointless = !result.answers.some((answer) => isIn(answer, ["2xx"]));
    this.#ready.set(at, result);
    if (exchanges.length > 0) this.#latest = { one: checkCase, at, exchanges };
    if (exchanges.some((exchange) => isValid(exchange) && isIn(exchange.answer, ["2xx"])))
      this.#unproven = [];
    else if (exchanges.length > 0 && checkCase.id !== CONTROL)
      this.#unproven.push({ one: checkCase, at });
    if (this.#unproven.length >= MAX_UNPROVEN_CASES) await this.prove();
    this.#publish();
  }

  /** Call it after the last case: publishes the results that are left. */
  async finish(): Promise<void> {
    await this.prove();
    this.#latest = undefined;
    this.#publish();
    const { mixed } = this.found;
    if (mixed === undefined) return;
    for (const [at, result] of this.results.entries()) {
      const isRefused = result.outcome === "failed" && expectsConfirmation(result.checkCase);
      if (isRefused && result.answers.some(mayBeSignature))
        this.results[at] = atRandom(result, mixed);
    }
  }

  /**
   * Confirms that what was refused since the last accepted delivery was not refused because of a
   * rate limit or a ban; repeats those cases if it was.
   */
  async prove(): Promise<void> {
    const unproven = this.#unproven;
    this.#unproven = [];
    const isOver = unproven.length === 0 || this.stopped !== null || this.#isPointless;
    const state = isOver ? "open" : await this.#limitState();
    if (state === "open" || state === "mixed") return this.#publish();
    for (const { one: checkCase, at } of unproven) {
      for (let repeats = 0; repeats < REPEATS; repeats++) {
        const { result } = await this.#run(checkCase);
        this.#ready.set(at, result);
        const then = await this.#waitOrEndRun(checkCase);
        if (then === "open" || then === "mixed") break;
        this.#ready.set(at, notApplicable(checkCase, { code: "refused_after_repeats" }));
      }
    }
    this.#publish();
  }

  #publish(): void {
    const unproven = new Set(this.#unproven.map(({ at }) => at));
    for (;;) {
      const at = this.results.length;
      const first = this.#ready.get(at);
      if (first === undefined || unproven.has(at) || at === this.#latest?.at) return;
      this.results.push(first);
      this.#options.onResult?.(first);
    }
  }

  /** Whether valid deliveries are accepted; if only some are, what divides them is looked at. */
  async #limitState(): Promise<LimitState> {
    if (this.found.mixed !== undefined) return "mixed";
    const state = await this.limits.waitUntilAccepted();
    if (state === "mixed") await this.#noteMixed();
    return state;
  }

  async #noteMixed(): Promise<void> {
    this.#mixed ??= howMixed(this.extraProbe());
    const mixed = await this.#mixed;
    this.found = { ...this.found, mixed };
  }

  /**
   * A case that refused a valid delivery, which it takes when it is sent again, or of which others
   * are refused: that is no cause of its own.
   */
  async #unlessMixed(result: CheckResult, refused: ProbeExchange): Promise<CheckResult> {
    const { mixed } = this.found;
    if (mixed === undefined) {
      const { body, options } = refused;
      if (!(await isTakenAgain(this.extraProbe(), body, options))) return result;
      await this.#noteMixed();
      return this.#unlessMixed(result, refused);
    }
    return atRandom(result, mixed);
  }

  async #waitOrEndRun(checkCase: CheckCase): Promise<"open" | "reopened" | "mixed" | undefined> {
    const limited = await this.#limitState();
    if (typeof limited === "string") return limited;
    this.#end({ code: "limited", limit: limited.gaveUp, by: checkCase.id });
    return undefined;
  }

  #timeLeft(): number {
    const { maxTime = Number.POSITIVE_INFINITY } = this.#options;
    return maxTime - (performance.now() - this.#began);
  }

  /** Ends the run, unless another case has. */
  #end(stop: Stop): void {
    this.stopped ??= stop;
  }

  /** Runs a case, and again if it was answered by a limit that valid deliveries meet, too. */
  async #run(
    checkCase: CheckCase,
  ): Promise<{ result: CheckResult; exchanges: readonly ProbeExchange[] }> {
    const why = this.#whyNot(checkCase);
    if (why !== undefined) return { result: notApplicable(checkCase, why), exchanges: [] };
    for (let repeats = 0; ; repeats++) {
      const probe = new Probe(checkCase.id, this.#probing);
      const result = await this.#once(checkCase, probe);
      const { exchanges } = probe;
      const isLimited = exchanges.some((exchange) => isRateLimited(exchange.answer));
      const refused =
        result.outcome === "failed"
          ? exchanges.find((each) => isSigned(each, probe) && mayBeSignature(each.answer))
          : undefined;
      const isWhole = checkCase.id === CONTROL || repeats === REPEATS;
      if (isWhole || !(isLimited || refused !== undefined)) return { result, exchanges };
      if (refused !== undefined && !isLimited) {
        const seen = await this.#unlessMixed(result, refused);
        if (seen !== result) return { result: seen, exchanges };
      }
      const limited = await this.#waitOrEndRun(checkCase);
      const limit = this.limits.found();
      if (limited === undefined && limit !== undefined)
        return { result: notApplicable(checkCase, { code: "limited", limit }), exchanges: [] };
      if (limited === "mixed" && refused !== undefined)
        return { result: await this.#unlessMixed(result, refused), exchanges };
      if (limited === "open" && (!isLimited || repeats > 0)) return { result, exchanges };
    }
  }

  #whyNot({ id, needsObserver }: CheckCase): Fault | undefined {
    const { maxTime } = this.#options;
    if (maxTime !== undefined && this.#timeLeft() <= 0)
      this.#end({ code: "out_of_time", milliseconds: maxTime, by: id });
    if (this.stopped !== null) return { code: "receiver_stopped" };
    if (this.#isPointless) return { code: "control_not_confirmed" };
    const isSeen = needsObserver !== true || this.#options.observer !== undefined;
    return isSeen ? undefined : { code: "no_observer" };
  }

  async #once(checkCase: CheckCase, probe: Probe): Promise<CheckResult> {
    const result = await sendCase(checkCase, probe, this.extraProbe(), this.#options);
    if (result.fault?.code === "not_observed") return result;
    if (result.outcome === "failed" && !expectsConfirmation(checkCase)) {
      const forged = probe.exchanges.find((each) => !isValid(each) && isIn(each.answer, ["2xx"]));
      if (forged !== undefined) this.confirmed.set(checkCase.id, forged);
    }
    const seen = await this.#checkReceiverAfter(result, probe);
    if (checkCase.id !== CONTROL || seen !== result) return seen;
    const { control, found } = await explainControl(result, this.extraProbe());
    const { control: cause } = found;
    const mixed = cause?.code === "refuses_at_random" ? cause.mixed : undefined;
    this.found = { ...found, ...(mixed && { mixed }) };
    return control;
  }

  /** A probe for deliveries that belong to no case. */
  extraProbe(): Probe {
    return new Probe("AGAIN-0", this.#probing);
  }

  /**
   * Checks whether the receiver still answers if a connection of a case ended without an answer;
   * returns the result of the case if it does.
   */
  async #checkReceiverAfter(result: CheckResult, { exchanges }: Probe): Promise<CheckResult> {
    const { checkCase } = result;
    const stuck = this.#watch.count(result);
    if (stuck !== undefined) this.#end(stuck);
    const broken = exchanges.find(({ answer }) => isBrokenOff(answer));
    if (broken === undefined) return result;
    if (this.stopped !== null)
      return this.stopped.by === checkCase.id
        ? result
        : notApplicable(checkCase, { code: "receiver_stopped" });
    const absence = await this.#watch.absenceAfter(result);
    if (absence === undefined) return result;
    if (absence.code === "restarted")
      return stoppedReceiver(result, absence, this.#stopsOf(checkCase, broken));
    // several ran at once
    if (this.stopped !== null) return notApplicable(checkCase, { code: "receiver_stopped" });
    if (absence.code === "no_connection") {
      this.#end({ code: "unreachable", absence, by: checkCase.id });
      return result;
    }
    const wasGone = exchanges[0] === broken && broken.answer.type === "unreachable";
    return (
      (wasGone ? this.#blameLatest(absence, checkCase) : undefined) ??
      this.#blame(result, broken, absence)
    );
  }

  /** Blames the latest case that sent something: its receiver was gone before this one did. */
  #blameLatest(absence: Absence, checkCase: CheckCase): CheckResult | undefined {
    const latest = this.#latest;
    const before = latest && this.#ready.get(latest.at);
    const sent = latest?.exchanges.at(-1);
    if (latest === undefined || before === undefined || sent === undefined) return undefined;
    this.#ready.set(latest.at, this.#blame(before, sent, absence));
    return notApplicable(checkCase, { code: "receiver_stopped" });
  }

  /** Ends the run with a case that stopped the receiver. */
  #blame(result: CheckResult, sent: ProbeExchange, absence: Absence): CheckResult {
    const { checkCase } = result;
    const stops = this.#stopsOf(checkCase, sent);
    this.#end({ code: "stopped_receiver", absence, stops, by: checkCase.id });
    return stoppedReceiver(result, absence, stops);
  }

  #stopsOf({ stops }: CheckCase, sent: ProbeExchange): StopCode {
    return stops ?? (isSigned(sent, this.extraProbe()) ? "signed" : "unsigned");
  }
}
