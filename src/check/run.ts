import { describeError, HookporterError } from "../errors.ts";
import { isIn, mayBeSignature, type ProbeAnswer } from "./answer.ts";
import { whyAllRefused } from "./attempts/find-cause.ts";
import { FORGED } from "./cases/forgeries.ts";
import { CONTROL } from "./catalogue.ts";
import type { CheckCase, Evidence } from "./check-case.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import type { FoundCauses } from "./diagnosis.ts";
import { judge, notApplicable, notObserved, showsSignature } from "./judge.ts";
import { isRate, watchLimits } from "./limits.ts";
import type { Pace } from "./pace.ts";
import { type Exchange, isValid, Probe, type ProbeOptions } from "./probe.ts";
import { whyGone } from "./reachable.ts";
import { SLOW } from "./response-times.ts";
import { runCounter } from "./run-counter.ts";

/** After this many cases in a row without an answer, the receiver is considered stuck. */
export const SILENT_AT_MOST = 3;
export const PATIENCE = 3000;
/** After this many cases of refusals alone, a valid delivery shows that they were not refused for another reason. */
const UNPROVEN_AT_MOST = 10;
/** How often a case is run again because the receiver refused everything in between. */
const REPEATS = 3;

/** The cases of one run, one after another or several at a time. */
export class Run {
  readonly results: CheckResult[] = [];
  stopped: string | null = null;
  found: FoundCauses = {};
  /** The first forged delivery of each case that was confirmed, by the case's id. */
  readonly confirmed = new Map<string, Exchange>();
  readonly limits: ReturnType<typeof watchLimits>;
  readonly #options: CheckOptions;
  readonly #probing: ProbeOptions;
  readonly #ready = new Map<number, CheckResult>();
  /** Cases that sent only what is refused, since the last valid delivery that was accepted, and their places among all. */
  #unproven: { readonly one: CheckCase; readonly at: number }[] = [];
  /** Why the other cases are not run: if nothing is confirmed, a refusal proves nothing. */
  #pointless: string | undefined;
  #silent = 0;

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
      ...{ requests: () => pace.requests, ...(wait && { wait }), ...(onWait && { onWait }) },
      sendValid: () => {
        const probe = this.again();
        return probe.post(probe.body());
      },
    });
  }

  /** Runs a case. Its result is published when those before it are, and refusals when they are proven. */
  async one(one: CheckCase, at: number): Promise<void> {
    const { result, exchanges } = await this.#run(one);
    if (one.id === CONTROL && !/^2/.test(result.answer ?? ""))
      this.#pointless = `not run: since ${CONTROL} was not confirmed, a refusal proves nothing`;
    this.#ready.set(at, result);
    if (exchanges.some((exchange) => isValid(exchange) && isIn(exchange.answer, ["2xx"])))
      this.#unproven = [];
    else if (exchanges.length > 0 && one.id !== CONTROL) this.#unproven.push({ one, at });
    if (this.#unproven.length >= UNPROVEN_AT_MOST) await this.prove();
    this.#publish();
  }

  /** Makes sure that what was refused since the last accepted delivery was not refused for another reason. */
  async prove(): Promise<void> {
    const unproven = this.#unproven;
    this.#unproven = [];
    const isOver = unproven.length === 0 || this.stopped !== null || this.#pointless !== undefined;
    if (isOver || (await this.limits.look()) === "open") return this.#publish();
    for (const { one, at } of unproven) {
      for (let repeats = 0; repeats < REPEATS; repeats++) {
        const { result } = await this.#run(one);
        this.#ready.set(at, result);
        if ((await this.#look(one)) === "open") break;
        const why = "not seen: the receiver refused valid deliveries after it, too";
        this.#ready.set(at, notApplicable(one, why));
      }
    }
    this.#publish();
  }

  #publish(): void {
    const unproven = new Set(this.#unproven.map(({ at }) => at));
    for (;;) {
      const at = this.results.length;
      const first = this.#ready.get(at);
      if (first === undefined || unproven.has(at)) return;
      this.results.push(first);
      this.#options.onResult?.(first);
    }
  }

  async #look(one: CheckCase): Promise<"open" | "reopened" | undefined> {
    const limited = await this.limits.look();
    if (typeof limited === "string") return limited;
    this.stopped ??= `after ${one.id}: ${limited.gaveUp}`;
    return undefined;
  }

  /** Runs a case, and again if it was answered by a limit that valid deliveries meet, too. */
  async #run(one: CheckCase): Promise<{ result: CheckResult; exchanges: readonly Exchange[] }> {
    const reason = this.#whyNot(one);
    if (reason !== undefined) return { result: notApplicable(one, reason), exchanges: [] };
    for (let repeats = 0; ; repeats++) {
      const probe = new Probe(one.id, this.#probing);
      const result = await this.#once(one, probe);
      const { exchanges } = probe;
      const isLimited = exchanges.some((exchange) => isRate(exchange.answer));
      const refused =
        result.outcome === "failed" && exchanges.some((one) => isValid(one) && mayBeSignature(one.answer));
      if (one.id === CONTROL || repeats === REPEATS || !(isLimited || refused)) return { result, exchanges };
      const limited = await this.#look(one);
      if (limited === undefined)
        return { result: notApplicable(one, `not seen: ${this.limits.found()}`), exchanges: [] };
      if (limited === "open" && (!isLimited || repeats > 0)) return { result, exchanges };
    }
  }

  #whyNot({ needsObserver }: CheckCase): string | undefined {
    if (this.stopped !== null) return "not run: the receiver stopped answering";
    const isSeen = needsObserver !== true || this.#options.observer !== undefined;
    return this.#pointless ?? (isSeen ? undefined : "cannot be seen without --observe");
  }

  async #once(one: CheckCase, probe: Probe): Promise<CheckResult> {
    const { timeout, slow = SLOW } = this.#options;
    const start = performance.now();
    const duration = () => Math.round(performance.now() - start);
    let evidence: Evidence;
    try {
      evidence = toEvidence(await one.run(probe));
      const again = one.right.includes("200") ? await sendAgain(probe) : undefined;
      if (again !== undefined) evidence = { ...evidence, again };
    } catch (thrown) {
      if (!(thrown instanceof HookporterError)) throw thrown;
      return notObserved(one, describeError(thrown), duration());
    }
    const isRefused = showsSignature(one) && evidence.answers.some(mayBeSignature);
    const refusal = isRefused ? await this.#refusal() : undefined;
    const result = judge(one, evidence, { timeout, slow, duration: duration(), refusal });
    if (result.outcome === "failed" && !one.right.includes("200")) {
      const forged = probe.exchanges.find((each) => !isValid(each) && isIn(each.answer, ["2xx"]));
      if (forged !== undefined) this.confirmed.set(one.id, forged);
    }
    await this.#lookAfter(one, evidence.answers);
    return one.id === CONTROL ? this.#explain(result, evidence.answers) : result;
  }

  /** How the receiver answers to a wrong signature, if it refuses it. */
  async #refusal(): Promise<ProbeAnswer | undefined> {
    const probe = this.again();
    const answer = await probe.post(probe.body(), { signature: FORGED.wrong });
    return isIn(answer, ["4xx"]) ? answer : undefined;
  }

  /** Tries the control with the common faults of receivers if its signature may be why it is refused. */
  async #explain(control: CheckResult, answers: readonly ProbeAnswer[]): Promise<CheckResult> {
    const [answer] = answers;
    if (answer === undefined || isIn(answer, ["200"])) return control;
    const text = answer.type === "status" ? answer.text : undefined;
    this.found = { ...(text !== undefined && { text }) };
    if (!mayBeSignature(answer)) return control;
    const cause = await whyAllRefused(this.again(), answer);
    if (cause === undefined) return control;
    this.found = { ...this.found, control: cause };
    return { ...control, fix: cause };
  }

  /** A probe for deliveries that belong to no case. */
  again(): Probe {
    return new Probe("AGAIN-0", this.#probing);
  }

  /** After a case whose last request got no answer, checks whether the receiver still answers. */
  async #lookAfter({ id, silence }: CheckCase, answers: readonly ProbeAnswer[]): Promise<void> {
    const { patience = PATIENCE } = this.#options;
    const last = answers.at(-1)?.type;
    if (last === "status") this.#silent = 0;
    else if (last === "silent" && silence === undefined) {
      if (++this.#silent >= SILENT_AT_MOST)
        this.stopped ??= `${SILENT_AT_MOST} cases in a row got no answer, the last was ${id}`;
    } else if (last === "closed" || last === "unreachable") {
      const why = await whyGone(this.#options, patience);
      if (why !== undefined) this.stopped ??= `after ${id}: ${why}`;
    }
  }
}

/** Sends a valid delivery that was answered 5xx once more, as the service does, and sees whether its event runs. */
async function sendAgain(probe: Probe): Promise<Evidence["again"]> {
  const failed = probe.exchanges.find(
    (one) => isValid(one) && isIn(one.answer, ["5xx"]) && !isRate(one.answer),
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
