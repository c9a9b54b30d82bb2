import { randomBytes } from "node:crypto";
import { describeError, HookporterError } from "../errors.ts";
import { shownUrl } from "../text/shown-url.ts";
import type { ProbeAnswer } from "./answer.ts";
import { mayBeSignature, whyAllRefused, whySpellingsRefused } from "./attempts/find-cause.ts";
import { CONTROL } from "./catalogue.ts";
import type { CheckCase, Evidence } from "./check-case.ts";
import { type CheckReport, type CheckResult, countResults } from "./check-result.ts";
import { diagnose, type FoundCauses, refusesSpellings } from "./diagnosis.ts";
import { judge, notApplicable, notObserved } from "./judge.ts";
import type { Observer } from "./observer.ts";
import { Probe, type ProbeOptions } from "./probe.ts";
import { whyGone, whyUnreachable } from "./reachable.ts";
import { diagnoseTimes, responseTimesOf, SLOW } from "./response-times.ts";
import { RunCounter } from "./run-counter.ts";

export interface CheckOptions extends Omit<ProbeOptions, "runName" | "counter"> {
  /** The cases in order; the control comes first. */
  readonly cases: readonly CheckCase[];
  /** How many cases run at a time. */
  readonly concurrency: number;
  /** Reports how often an event ran. Without it, cases that observe are not run. */
  readonly observer?: Observer;
  /** Milliseconds to watch for a late second run, after an event ran. */
  readonly settle: number;
  /** Milliseconds after which an answer is slow. Default: 5 s. */
  readonly slow?: number;
  /** Milliseconds to wait for a receiver that went away to come back. */
  readonly patience?: number;
  /** Called with each result, in the order of the cases. */
  readonly onResult?: (result: CheckResult) => void;
}

/** After this many cases in a row without an answer, the receiver is considered stuck. */
export const SILENT_AT_MOST = 3;
export const PATIENCE = 3000;

/**
 * Runs cases against a receiver. The control runs alone, before all others.
 *
 * @throws HookporterError `target_unreachable` before any case; `usage` if the observer returns no number
 */
export async function runCheck(options: CheckOptions): Promise<CheckReport> {
  const { url, cases, timeout, observer, clock, slow = SLOW } = options;
  const unreachable = await whyUnreachable(url, timeout);
  if (unreachable !== undefined)
    throw new HookporterError("target_unreachable", `${url.origin}: ${unreachable}`);
  const runName = randomBytes(4).toString("hex");
  if (observer !== undefined) await tryObserver(new Probe("NONE-0", { ...options, runName }), observer);

  const start = performance.now();
  const startedAt = new Date(clock()).toISOString();
  const run = new Run(options, runName);
  const [control, ...others] = cases;
  if (control?.id !== CONTROL) throw new TypeError(`expected ${CONTROL} to be the first of the cases`);
  await run.one(control, 0);
  let next = 1;
  const worker = async () => {
    for (let at = next++; at <= others.length; at = next++) await run.one(others[at - 1] as CheckCase, at);
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  const { results, stopped } = run;
  const spelling =
    stopped === null && refusesSpellings(results) ? await whySpellingsRefused(run.again()) : undefined;
  const found = { ...run.found, ...(spelling !== undefined && { spelling }) };
  const responseTimes = responseTimesOf(results);
  return {
    ...{ url: shownUrl(url), startedAt, results, stopped, responseTimes },
    duration: Math.round(performance.now() - start),
    diagnosis: [...diagnose(results, found), ...diagnoseTimes(responseTimes, slow)],
    counts: countResults(results),
  };
}

/** Tests the observer before anything is sent. */
async function tryObserver(probe: Probe, observer: Observer): Promise<void> {
  const count = await observer.count({ marker: probe.marker, bodies: [probe.body()] });
  if (count === 0) return;
  throw new HookporterError(
    "usage",
    `expected --observe to report 0 for an event that was never sent, got ${count}: count only events with the given id`,
  );
}

class Run {
  readonly results: CheckResult[] = [];
  stopped: string | null = null;
  found: FoundCauses = {};
  readonly #options: CheckOptions;
  readonly #probing: ProbeOptions;
  readonly #ready = new Map<number, CheckResult>();
  /** Why the other cases are not run: if nothing is confirmed, a refusal proves nothing. */
  #pointless: string | undefined;
  #silent = 0;

  constructor(options: CheckOptions, runName: string) {
    const { observer, ...others } = options;
    const counter = observer === undefined ? undefined : new RunCounter(observer, options);
    this.#options = options;
    this.#probing = { ...others, runName, ...(counter !== undefined && { counter }) };
  }

  async one(one: CheckCase, at: number): Promise<void> {
    const result = await this.#run(one);
    if (one.id === CONTROL && !/^2/.test(result.answer ?? "")) {
      this.#pointless = `not run: since ${CONTROL} was not confirmed, a refusal proves nothing`;
    }
    this.#ready.set(at, result);
    for (
      let first = this.#ready.get(this.results.length);
      first;
      first = this.#ready.get(this.results.length)
    ) {
      this.results.push(first);
      this.#options.onResult?.(first);
    }
  }

  async #run(one: CheckCase): Promise<CheckResult> {
    const { timeout, observer, slow = SLOW } = this.#options;
    if (this.stopped !== null) return notApplicable(one, "not run: the receiver stopped answering");
    if (this.#pointless !== undefined) return notApplicable(one, this.#pointless);
    if (one.needsObserver === true && observer === undefined)
      return notApplicable(one, "cannot be seen without --observe");
    const start = performance.now();
    const duration = () => Math.round(performance.now() - start);
    let evidence: Evidence;
    try {
      evidence = toEvidence(await one.run(new Probe(one.id, this.#probing)));
    } catch (thrown) {
      if (!(thrown instanceof HookporterError)) throw thrown;
      return notObserved(one, describeError(thrown), duration());
    }
    const result = judge(one, evidence, { timeout, slow, duration: duration() });
    await this.#lookAfter(one, evidence.answers);
    return one.id === CONTROL ? this.#explain(result, evidence.answers) : result;
  }

  /** Tries the control with the common faults of receivers if its signature may be why it is refused. */
  async #explain(control: CheckResult, answers: readonly ProbeAnswer[]): Promise<CheckResult> {
    if (!answers.some(mayBeSignature)) return control;
    const cause = await whyAllRefused(this.again());
    if (cause === undefined) return control;
    this.found = { control: cause };
    return { ...control, fix: cause };
  }

  /** A probe for deliveries that belong to no case. */
  again(): Probe {
    return new Probe("AGAIN-0", this.#probing);
  }

  /** After a case whose last request got no answer, checks whether the receiver still answers. */
  async #lookAfter({ id, silence }: CheckCase, answers: readonly ProbeAnswer[]): Promise<void> {
    const { url, timeout, patience = PATIENCE } = this.#options;
    const last = answers.at(-1)?.type;
    if (last === "status") this.#silent = 0;
    else if (last === "silent" && silence === undefined) {
      if (++this.#silent >= SILENT_AT_MOST)
        this.stopped ??= `${SILENT_AT_MOST} cases in a row got no answer, the last was ${id}`;
    } else if (last === "closed" || last === "unreachable") {
      const why = await whyGone(url, timeout, patience);
      if (why !== undefined) this.stopped ??= `after ${id}: ${why}`;
    }
  }
}

function toEvidence(given: ProbeAnswer | readonly ProbeAnswer[] | Evidence): Evidence {
  if ("answers" in given) return given;
  return { answers: "type" in given ? [given] : given };
}
