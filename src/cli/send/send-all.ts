import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { codeOf, HookporterError } from "../../base/errors.ts";
import { timerDelay } from "../../base/options/timer-delay.ts";
import { allowManyListeners } from "../../base/stand-ins.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { briefBody } from "../../relay/brief-body.ts";
import type { Disturbance, Disturbed, Sendable } from "../../relay/chaos.ts";
import { explainAnswer } from "../../relay/explain-answer.ts";
import { send, type TargetAnswer } from "../../relay/send.ts";
import type { CliContext } from "../context.ts";
import { ownAnswerLine, readOwnAnswer } from "../outcome/own-answer.ts";
import { printable } from "../output.ts";
import { stopRunOnSignal } from "./interrupt.ts";
import { type SendProgress, startProgress } from "./progress.ts";
import { SendSummary } from "./summary.ts";

export interface SendPlan {
  readonly target: URL;
  /** Where the target is from, which is said once if something fails. Default: it was typed. */
  readonly where?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number | undefined;
  /** How many are sent at a time. Default 1, in order. */
  readonly concurrency?: number | undefined;
  /** The run stops after this many in a row without any answer. Default {@link MAX_FAILURES}. */
  readonly maxFailures?: number | undefined;
  /** The run stops at the first that is not answered 2xx. */
  readonly failFast?: boolean | undefined;
  /** The status that counts as success, if not any 2xx. */
  readonly expect?: number | undefined;
  /** Called with each item that was answered 2xx, and the answer. */
  readonly onSent?: (item: Sendable, answer: TargetAnswer) => void;
  /** How the rest can be sent, given how many are left; `undefined` if it cannot. */
  readonly toGoOn?: (left: number) => string | undefined;
}

/** How many deliveries in a row may get no answer. */
export const MAX_FAILURES = 10;

/**
 * Milliseconds before the next delivery after one without an answer, so that an app that restarts
 * is soon back.
 */
export const FAILURE_PAUSE = 200;

/** Sends deliveries when they are due, and reports each answer. */
export class SendingRun {
  readonly #deliveries: readonly Disturbed<Sendable>[];
  readonly #plan: SendPlan;
  readonly #context: CliContext;
  #progress: SendProgress | undefined;
  readonly #summary: SendSummary;
  readonly #start = performance.now();
  /** Aborted when no more are to be sent. */
  readonly #stopping = new AbortController();
  #next = 0;
  #unansweredInARow = 0;
  #lastFailure: string | undefined;
  #hasPrintedWhere = false;
  #error: HookporterError | undefined;
  /** Why the first one without an answer got none. */
  #unreachable: HookporterError | undefined;
  /**
   * Answers that are reported once the next delivery is under way, while the target works on it.
   */
  readonly #unreported: (() => void)[] = [];

  constructor(deliveries: readonly Disturbed<Sendable>[], plan: SendPlan, context: CliContext) {
    this.#deliveries = deliveries;
    this.#plan = plan;
    this.#context = context;
    this.#summary = new SendSummary(deliveries.length, plan.expect);
  }

  /**
   * Sets exit code 1 if one was not answered 2xx, and 130 or 143 if a signal stopped the run.
   * Throws `target_unreachable` if none of them got an answer, or too many in a row got none.
   */
  async toEnd(): Promise<void> {
    const { output } = this.#context;
    const cutting = new AbortController();
    // one for each that is sent at a time
    allowManyListeners(cutting.signal, this.#stopping.signal);
    const interrupt = stopRunOnSignal(this.#context, {
      stop: () => this.#stopping.abort(),
      cut: () => cutting.abort(),
      onEnd: (reason) => this.#reportStop(reason),
    });
    // Not before, since a person who sees it may press Ctrl-C.
    this.#progress = startProgress(this.#deliveries.length, this.#context);
    try {
      const { concurrency = 1 } = this.#plan;
      await Promise.all(Array.from({ length: concurrency }, () => this.#sendNext(cutting.signal)));
    } finally {
      this.#stopping.abort(); // if one of several failed, the others end too
      this.#reportAnswers();
      interrupt.done();
      this.#progress?.end();
    }
    if (interrupt.reason !== undefined) return this.#reportStop(interrupt.reason);
    // However many there are: nothing was there to send to.
    if (this.#summary.isUnanswered) this.#error ??= this.#unreachable;
    if (this.#error !== undefined) throw this.#withProgress(this.#error);
    if (this.#deliveries.length > 1) output.talk(this.#summary.line);
    this.#printHowToGoOn();
    if (this.#summary.failed) this.#context.exitCode = 1;
  }

  /** Sends one after another until none is left; several of these run at a time. */
  async #sendNext(cut: AbortSignal): Promise<void> {
    const { signal } = this.#stopping;
    for (let at = this.#next++; at < this.#deliveries.length; at = this.#next++) {
      const delivery = this.#deliveries[at] as Disturbed<Sendable>;
      const early = delivery.at - (performance.now() - this.#start);
      if (early > 0) {
        this.#reportAnswers();
        await wait(timerDelay(early), undefined, { signal }).catch(() => {});
      }
      if (signal.aborted) return;
      if (delivery.chaos === "drop") this.#drop(delivery);
      else if (!(await this.#send(delivery, at, cut)))
        await wait(FAILURE_PAUSE, undefined, { signal }).catch(() => {});
    }
  }

  /** Returns whether there was an answer. */
  async #send(delivery: Disturbed<Sendable>, at: number, signal: AbortSignal): Promise<boolean> {
    const { target, timeout, expect, failFast, maxFailures = MAX_FAILURES } = this.#plan;
    const { query, headers, body } = delivery.item;
    try {
      const sending = {
        target,
        query,
        headers,
        body,
        signal,
        ...(timeout !== undefined && { timeout }),
      };
      const [sent] = await Promise.all([send(sending), this.#meanwhile(at)]);
      const answer = expect === undefined ? sent : { ...sent, ok: sent.status === expect };
      this.#unansweredInARow = 0;
      this.#unreported.push(() => this.#report(delivery, answer));
      if (!answer.ok) {
        this.#reportAnswers();
        if (failFast === true) this.#stopping.abort();
      }
      return true;
    } catch (thrown) {
      if (signal.aborted) return true;
      if (!(thrown instanceof HookporterError) || codeOf(thrown) !== "target_unreachable")
        throw thrown;
      this.#printWhere();
      if (this.#deliveries.length === 1) throw thrown;
      this.#reportAnswers();
      this.#reportUnanswered(delivery, thrown);
      this.#unreachable ??= thrown;
      if (++this.#unansweredInARow >= maxFailures || failFast === true) {
        this.#error ??= thrown;
        this.#stopping.abort();
      }
      return false;
    }
  }

  /** Reports earlier answers and prepares the next delivery, while the target works on this one. */
  async #meanwhile(at: number): Promise<void> {
    await nextTurn(); // Node writes a request once the code that made it is done
    this.#reportAnswers();
    void this.#deliveries[at + 1]?.item.body;
  }

  #drop({ item: { label }, at }: Disturbed<Sendable>): void {
    this.#reportAnswers();
    this.#summary.dropped++;
    const { output } = this.#context;
    if (this.#progress?.shown !== true)
      output.data(output.color.dim(`dropped ${printable(label)}`));
    output.record("dropped", { label, at });
    this.#progress?.advance();
  }

  #reportAnswers(): void {
    for (const report of this.#unreported.splice(0)) report();
  }

  #report({ item, chaos }: Disturbed<Sendable>, answer: TargetAnswer): void {
    const { status, duration, ok } = answer;
    this.#summary.add(answer);
    if (!ok || this.#progress?.shown !== true)
      this.#context.output.data(this.#answerLine(nameOf(item.label, chaos), answer));
    // What was tampered with is meant to be refused.
    if (!ok && chaos === null) this.#explain(answer);
    const body = answer.body.slice(0, 2000);
    this.#record({ label: item.label, status, ok, duration, chaos, body, error: null });
    if (ok) this.#plan.onSent?.(item, answer);
    this.#progress?.advance();
  }

  /**
   * Prints cause and fix, as far as the answer shows them, unless they are those of the answer
   * before.
   */
  #explain(answer: TargetAnswer): void {
    const why = explainAnswer(this.#plan.target, answer);
    if (why !== undefined && why !== this.#lastFailure)
      this.#context.output.data(`    ${printable(why, 500)}`);
    this.#lastFailure = why;
    this.#printWhere();
  }

  #printWhere(): void {
    const { target, where } = this.#plan;
    if (where !== undefined && !this.#hasPrintedWhere)
      this.#context.output.talk(`endpoint ${shownUrl(target)}, from ${where}`);
    this.#hasPrintedWhere = true;
  }

  #reportUnanswered({ item, chaos }: Disturbed<Sendable>, { message }: HookporterError): void {
    this.#summary.unanswered++;
    const { color } = this.#context.output;
    const why = message === this.#lastFailure ? "as above" : printable(message, 500);
    this.#lastFailure = message;
    this.#context.output.data(
      `${color.red("no answer")} ${printable(nameOf(item.label, chaos))}  ${why}`,
    );
    const empty = { status: null, ok: false, duration: null, body: null };
    this.#record({ label: item.label, ...empty, chaos, error: message });
    this.#progress?.advance();
  }

  #record(fields: object): void {
    this.#context.output.record("answer", { url: shownUrl(this.#plan.target), ...fields });
  }

  #answerLine(label: string, { ok, status, duration, body }: TargetAnswer): string {
    const { color, columns } = this.#context.output;
    const code = ok ? color.green(status) : color.red(status);
    const own = ok ? readOwnAnswer(body) : undefined;
    if (own !== undefined)
      return `${code} ${ownAnswerLine(printable(label), duration, own, columns)}`;
    const shown = briefBody(body, 300) || "(empty body)";
    return `${code} ${printable(label)} ${duration} ms  ${printable(shown, 300)}`;
  }

  #reportStop({
    reason,
    exitCode,
  }: {
    readonly reason: string;
    readonly exitCode: 129 | 130 | 143;
  }): void {
    const { output } = this.#context;
    this.#reportAnswers();
    this.#progress?.end();
    this.#context.exitCode = exitCode;
    output.talk(`${reason}: ${this.#summary.progress}`);
    output.record("interrupted", { reason, exitCode, ...this.#summary.fields });
    this.#printHowToGoOn();
  }

  #printHowToGoOn(): void {
    const left = this.#summary.left;
    const how = left === 0 || this.#deliveries.length === 1 ? undefined : this.#plan.toGoOn?.(left);
    if (how !== undefined) this.#context.output.talk(how);
  }

  #withProgress(error: HookporterError): HookporterError {
    const left = this.#plan.toGoOn?.(this.#summary.left);
    const goOn = left === undefined ? "" : `: ${left}`;
    const text = `${error.message} (${this.#summary.progress}${goOn})`;
    return new HookporterError(error.code, text, { cause: error });
  }
}

function nameOf(label: string, chaos: Disturbance): string {
  if (chaos === null) return label;
  return `${label} (${chaos === "no_signature" ? "no signature" : `${chaos} tampered with`})`;
}
