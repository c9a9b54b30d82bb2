import { describeError, HookporterError } from "../base/errors.ts";
import { isBrokenOff, isIn, mayBeSignature, type ProbeAnswer } from "./answer.ts";
import { whyAllRefused } from "./attempts/find-cause.ts";
import { FORGED } from "./cases/forgeries.ts";
import { CONTROL } from "./catalogue.ts";
import type { CheckCase, Evidence } from "./check-case.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import type { FoundCauses } from "./diagnosis.ts";
import { judge, notApplicable, notObserved, showsSignature, stoppedReceiver } from "./judge.ts";
import { isRateLimited, watchLimits } from "./limits.ts";
import type { Pace } from "./pace.ts";
import { isValid, Probe, type ProbeExchange, type ProbeOptions } from "./probe.ts";
import { type ReceiverState, stateAfterBrokenConnection, whyUnreachable } from "./reachable.ts";
import { SLOW } from "./response-times.ts";
import { runCounter } from "./run-counter.ts";

/**
 * After this many cases in a row without an answer, or without the end of one, the receiver is
 * considered stuck.
 */
export const MAX_SILENT_CASES = 3;
export const MAX_RESTART_TIME = 3000;
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
  stopped: string | null = null;
  endedBy: string | null = null;
  isReceiversFault = false;
  found: FoundCauses = {};
  /** The first forged delivery of each case that was confirmed, by the case's id. */
  readonly confirmed = new Map<string, ProbeExchange>();
  readonly limits: ReturnType<typeof watchLimits>;
  readonly #options: CheckOptions;
  readonly #probing: ProbeOptions;
  readonly #ready = new Map<number, CheckResult>();
  /**
   * Cases that sent only what is refused, since the last valid delivery that was accepted, and
   * their places among all.
   */
  #unproven: { readonly one: CheckCase; readonly at: number }[] = [];
  /** Why the other cases are not run: if nothing is confirmed, a refusal proves nothing. */
  #pointless: string | undefined;
  #silent = 0;
  #endless = 0;
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
    const { wait, onWait } = options;
    this.limits = watchLimits({
      requests: () => pace.requests,
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
    if (checkCase.id === CONTROL && !/^2/.test(result.answer ?? ""))
      this.#pointless = `not run: since ${CONTROL} was not confirmed, a refusal proves nothing`;
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
  }

  /**
   * Confirms that what was refused since the last accepted delivery was not refused because of a
   * rate limit or a ban; repeats those cases if it was.
   */
  async prove(): Promise<void> {
    const unproven = this.#unproven;
    this.#unproven = [];
    const isOver = unproven.length === 0 || this.stopped !== null || this.#pointless !== undefined;
    if (isOver || (await this.limits.waitUntilAccepted()) === "open") return this.#publish();
    for (const { one: checkCase, at } of unproven) {
      for (let repeats = 0; repeats < REPEATS; repeats++) {
        const { result } = await this.#run(checkCase);
        this.#ready.set(at, result);
        if ((await this.#waitOrEndRun(checkCase)) === "open") break;
        const why = "not seen: the receiver refused valid deliveries after it, too";
        this.#ready.set(at, notApplicable(checkCase, why));
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

  async #waitOrEndRun(checkCase: CheckCase): Promise<"open" | "reopened" | undefined> {
    const limited = await this.limits.waitUntilAccepted();
    if (typeof limited === "string") return limited;
    this.#end(checkCase, `after ${checkCase.id}: ${limited.gaveUp}`);
    return undefined;
  }

  /** Ends the run, unless another case has. */
  #end({ id }: CheckCase, why: string, isReceiversFault = false): void {
    if (this.stopped !== null) return;
    this.stopped = why;
    this.endedBy = id;
    this.isReceiversFault = isReceiversFault;
  }

  /** Runs a case, and again if it was answered by a limit that valid deliveries meet, too. */
  async #run(
    checkCase: CheckCase,
  ): Promise<{ result: CheckResult; exchanges: readonly ProbeExchange[] }> {
    const reason = this.#whyNot(checkCase);
    if (reason !== undefined) return { result: notApplicable(checkCase, reason), exchanges: [] };
    for (let repeats = 0; ; repeats++) {
      const probe = new Probe(checkCase.id, this.#probing);
      const result = await this.#once(checkCase, probe);
      const { exchanges } = probe;
      const isLimited = exchanges.some((exchange) => isRateLimited(exchange.answer));
      const refused =
        result.outcome === "failed" &&
        exchanges.some((exchange) => isValid(exchange) && mayBeSignature(exchange.answer));
      if (checkCase.id === CONTROL || repeats === REPEATS || !(isLimited || refused))
        return { result, exchanges };
      const limited = await this.#waitOrEndRun(checkCase);
      if (limited === undefined)
        return {
          result: notApplicable(checkCase, `not seen: ${this.limits.found()}`),
          exchanges: [],
        };
      if (limited === "open" && (!isLimited || repeats > 0)) return { result, exchanges };
    }
  }

  #whyNot({ needsObserver }: CheckCase): string | undefined {
    if (this.stopped !== null) return NOT_RUN;
    const isSeen = needsObserver !== true || this.#options.observer !== undefined;
    return this.#pointless ?? (isSeen ? undefined : "cannot be seen without --observe");
  }

  async #once(checkCase: CheckCase, probe: Probe): Promise<CheckResult> {
    const { timeout, slow = SLOW } = this.#options;
    const start = performance.now();
    const duration = () => Math.round(performance.now() - start);
    let evidence: Evidence;
    try {
      evidence = toEvidence(await checkCase.run(probe));
      const again = checkCase.right.includes("200") ? await sendAgain(probe) : undefined;
      if (again !== undefined) evidence = { ...evidence, resent: again };
    } catch (thrown) {
      if (!(thrown instanceof HookporterError)) throw thrown;
      return notObserved(checkCase, describeError(thrown), duration());
    }
    const isRefused = showsSignature(checkCase) && evidence.answers.some(mayBeSignature);
    const refusal = isRefused ? await this.#refusal() : undefined;
    const result = judge(checkCase, evidence, { timeout, slow, duration: duration(), refusal });
    if (result.outcome === "failed" && !checkCase.right.includes("200")) {
      const forged = probe.exchanges.find((each) => !isValid(each) && isIn(each.answer, ["2xx"]));
      if (forged !== undefined) this.confirmed.set(checkCase.id, forged);
    }
    const seen = await this.#checkReceiverAfter(checkCase, probe, result, evidence.answers);
    return checkCase.id === CONTROL && seen === result
      ? this.#explain(result, evidence.answers)
      : seen;
  }

  /** How the receiver answers to a wrong signature, if it refuses it. */
  async #refusal(): Promise<ProbeAnswer | undefined> {
    const probe = this.extraProbe();
    const answer = await probe.post(probe.body(), { signature: FORGED.wrong });
    return isIn(answer, ["4xx"]) ? answer : undefined;
  }

  /**
   * Tries the control with the common faults of receivers if its signature may be why it is
   * refused.
   */
  async #explain(control: CheckResult, answers: readonly ProbeAnswer[]): Promise<CheckResult> {
    const [answer] = answers;
    if (answer === undefined || isIn(answer, ["200"])) return control;
    const text = answer.type === "status" ? answer.text : undefined;
    this.found = { ...(text !== undefined && { text }) };
    if (!mayBeSignature(answer)) return control;
    const cause = await whyAllRefused(this.extraProbe(), answer);
    if (cause === undefined) return control;
    this.found = { ...this.found, control: cause };
    return { ...control, fix: cause };
  }

  /** A probe for deliveries that belong to no case. */
  extraProbe(): Probe {
    return new Probe("AGAIN-0", this.#probing);
  }

  /**
   * Checks whether the receiver still answers if a connection of a case ended without an answer;
   * returns the result of the case if it does not.
   */
  async #checkReceiverAfter(
    checkCase: CheckCase,
    { exchanges }: Probe,
    result: CheckResult,
    answers: readonly ProbeAnswer[],
  ): Promise<CheckResult> {
    const last = answers.at(-1)?.type;
    const isSilent = last === "silent" && checkCase.silence === undefined;
    if (last === "status") this.#silent = 0;
    else if (isSilent && ++this.#silent >= MAX_SILENT_CASES)
      this.#end(
        checkCase,
        `${MAX_SILENT_CASES} cases in a row got no answer, the last was ${checkCase.id}`,
      );
    if (last !== "endless") this.#endless = 0;
    else if (++this.#endless >= MAX_SILENT_CASES)
      this.#end(
        checkCase,
        `the answers to ${MAX_SILENT_CASES} cases in a row did not end, the last to ${checkCase.id}`,
        true,
      );
    const broken = exchanges.find(({ answer }) => isBrokenOff(answer));
    if (broken === undefined) return result;
    if (this.stopped !== null)
      return this.endedBy === checkCase.id ? result : notApplicable(checkCase, NOT_RUN);
    // A receiver that is silent, but there, would be silent again.
    if (isSilent && (await whyUnreachable(this.#options)) === undefined) return result;
    const { patience = MAX_RESTART_TIME } = this.#options;
    const probe = this.extraProbe();
    const life = await stateAfterBrokenConnection(this.#options, patience, () =>
      probe.post(probe.body()),
    );
    return this.#judgeReceiverState(life, {
      checkCase,
      result,
      broken,
      isFirst: exchanges[0] === broken,
    });
  }

  /** Whether only a holder of the secret can send that. */
  #isSigned({ body, options: { header, signature } }: ProbeExchange): boolean {
    return (
      header === undefined &&
      (signature === undefined || signature === this.extraProbe().sign(body))
    );
  }

  #judgeReceiverState(
    life: ReceiverState,
    { checkCase, result, broken, isFirst }: Broken,
  ): CheckResult {
    if (life.state === "answers") return result;
    if (life.state === "restarted")
      return stoppedReceiver(
        result,
        checkCase,
        "its process ended, and was started again",
        this.#isSigned(broken),
      );
    if (this.stopped !== null) return notApplicable(checkCase, NOT_RUN); // several ran at once
    if (!life.isOwnFault) {
      this.#end(checkCase, `after ${checkCase.id}: ${life.why}`);
      return result;
    }
    const latest = this.#latest;
    const before = latest && this.#ready.get(latest.at);
    const sent = latest?.exchanges.at(-1);
    if (
      latest === undefined ||
      before === undefined ||
      sent === undefined ||
      !isFirst ||
      broken.answer.type !== "unreachable"
    ) {
      const stopping = stoppedReceiver(result, checkCase, life.why, this.#isSigned(broken));
      this.#end(checkCase, `after ${checkCase.id}, ${checkCase.sent}: ${stopping.fix}`, true);
      return stopping;
    }
    // It was gone before this case sent anything.
    const stopping = stoppedReceiver(before, latest.one, life.why, this.#isSigned(sent));
    this.#ready.set(latest.at, stopping);
    this.#end(latest.one, `after ${latest.one.id}, ${latest.one.sent}: ${stopping.fix}`, true);
    return notApplicable(checkCase, NOT_RUN);
  }
}

/** A case, its result, and its first connection that ended without an answer. */
interface Broken {
  readonly checkCase: CheckCase;
  readonly result: CheckResult;
  readonly broken: ProbeExchange;
  readonly isFirst: boolean;
}

const NOT_RUN = "not run: the receiver stopped answering";

/**
 * Sends a valid delivery that was answered 5xx once more, as the service does, and sees whether its
 * event runs.
 */
async function sendAgain(probe: Probe): Promise<Evidence["resent"]> {
  const failed = probe.exchanges.find(
    (exchange) =>
      isValid(exchange) && isIn(exchange.answer, ["5xx"]) && !isRateLimited(exchange.answer),
  );
  if (failed === undefined) return undefined;
  const answer = await probe.post(failed.body);
  // Samples of other kinds have ids of their own.
  const isCounted = probe.isObserved && Buffer.from(failed.body).includes(probe.marker);
  if (!isCounted || !isIn(answer, ["2xx"])) return { answer };
  return { answer, runs: await probe.runs([failed.body], 1) };
}

function toEvidence(given: ProbeAnswer | readonly ProbeAnswer[] | Evidence): Evidence {
  if ("answers" in given) return given;
  return { answers: "type" in given ? [given] : given };
}
