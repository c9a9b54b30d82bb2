import { describeError } from "../../base/errors.ts";
import { isPromiseLike } from "../../base/guards.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import type { LeaseLost, NoPlace } from "../attempts/entry-transactions.ts";
import { handlerContext, type OwnSignal } from "../attempts/handler-context.ts";
import { type HandlerRun, type RunLimits, runHandler } from "../attempts/run-handler.ts";
import type { HandlerContext, NamedHandler, Plan, PlannedRun } from "../plan/handler.ts";
import { EntryWaits, type Sender } from "./entry-waits.ts";
import type { RunOptions, RunParts } from "./run-options.ts";
import { afterFailure, againOf, type Failure, settlementOf, UNREADABLE } from "./settlements.ts";

/**
 * Runs an entry's unfinished handlers one after another, in its turn at a target only that
 * target's; settles it.
 */
export async function runEntry(entry: ClaimedEntry, options: RunOptions, parts: RunParts) {
  const { seq } = entry;
  const { clock } = options;
  if (entry.unreadable !== undefined) {
    options.log.error(
      { seq, error: entry.unreadable },
      "an entry cannot be read: it is now a dead letter",
    );
    return settlementOf(entry, clock, "dead", "unreadable");
  }
  // Claimed more often than it may run: the processes that ran it died before they could settle it.
  // This claim runs nothing, so it is no attempt.
  if (entry.attempts > options.retry.attempts)
    return settlementOf(entry, clock, "dead", "attempts_exhausted", { uncount: true });

  let plan: Plan;
  try {
    const planning = options.plan(entry, parts.ready);
    plan = isPromiseLike(planning)
      ? await plannedInTime(planning, entry, options, parts)
      : planning;
  } catch (thrown) {
    plan = { type: "unplanned", error: describeError(thrown) };
  }
  const now = clock();
  switch (plan.type) {
    case "run":
      return new EntryHandlers(entry, plan, options, parts).run();
    case "unplanned": {
      options.log.error(
        { seq, error: plan.error },
        "an entry could not be read; trying again later",
      );
      const settled = afterFailure(entry, options, {}, { failures: [UNREADABLE] });
      return settled.state === "dead" ? { ...settled, problems: plan.problems } : settled;
    }
    case "done_elsewhere":
      return settlementOf(entry, clock, "handled", null);
    case "end":
      return settlementOf(entry, clock, plan.state, plan.reason, { problems: plan.problems });
    case "wait":
      return againOf(entry, clock, plan.reason, { runAt: now + plan.ms, uncount: true });
    case "leave": {
      const reason = entry.waits?.length ? TARGET_AWAY : null;
      return againOf(entry, clock, reason, { runAt: entry.dueAt ?? now, uncount: true });
    }
  }
}

/** The plan for an entry, or why there is none; with the time limit of a handler. */
async function plannedInTime(
  plan: Promise<Plan>,
  entry: ClaimedEntry,
  options: RunOptions,
  parts: RunParts,
): Promise<Plan> {
  const { handlerTimeout: timeout, clock } = options;
  const { signal } = parts;
  let made: Plan | undefined;
  const { record } = await runHandler(
    async () => {
      made = await plan;
    },
    { handler: "plan", attempt: entry.attempts, timeout, signal, clock },
  );
  return made ?? { type: "unplanned", error: record.error };
}

class EntryHandlers {
  readonly #entry: ClaimedEntry;
  readonly #plan: PlannedRun;
  readonly #options: RunOptions;
  readonly #parts: RunParts;
  /** Made for an entry that waits already, or has a handler with a target. */
  #waits: EntryWaits | undefined;
  readonly #finished: Set<string>;
  readonly #records: AttemptRecord[] = [];
  readonly #failures: Failure[] = [];
  /** Whether a handler was left out since it, or its target, is paused. */
  #isPaused = false;

  constructor(entry: ClaimedEntry, plan: PlannedRun, options: RunOptions, parts: RunParts) {
    this.#entry = entry;
    this.#plan = plan;
    this.#options = options;
    this.#parts = parts;
    if (entry.waits?.length) this.#waits = new EntryWaits(entry, options, parts);
    this.#finished = new Set(entry.finishedHandlers);
  }

  async run(): Promise<Settlement> {
    const { handlerTimeout: timeout, clock } = this.#options;
    const { signal, budget: within, turn } = this.#parts;
    const { attempts: attempt } = this.#entry;
    const todo = this.#unfinished();
    const isInTurn = turn !== undefined && todo.some(({ target }) => target?.name === turn.target);
    /** Whether a handler was left out for lack of time. */
    let isCut = false;
    for (const named of todo) {
      if (isInTurn && named.target?.name !== turn.target) continue;
      if (!this.#mayRun(named)) continue;
      if (signal.aborted) break;
      if (within?.fits() === false) {
        isCut = true;
        break;
      }
      const limits = { handler: named.name, attempt, timeout, signal, clock };
      const running =
        named.tx === true
          ? this.#runInside(named, limits)
          : runHandler(this.#callOf(named), limits);
      const ran = isPromiseLike(running) ? await running : running;
      if (ran.type === "lease_lost") return againOf(this.#entry, clock, null, this.#result());
      if (ran.type === "no_place") {
        const later = { ...this.#result(), runAt: ran.dueAt, uncount: true };
        return againOf(this.#entry, clock, ran.reason, later);
      }
      this.#note(named, ran);
    }
    return this.#end(isInTurn, isCut);
  }

  #unfinished(): readonly NamedHandler[] {
    return this.#plan.handlers.filter(({ name }) => !this.#finished.has(name));
  }

  #mayRun(named: NamedHandler): boolean {
    const { paused } = this.#entry;
    if (
      paused?.some(
        ({ scope, name }) => name === (scope === "handler" ? named.name : named.target?.name),
      )
    ) {
      this.#isPaused = true;
      return false;
    }
    if (named.target !== undefined) {
      this.#waits ??= new EntryWaits(this.#entry, this.#options, this.#parts);
      return this.#waits.mayTry(named as Sender);
    }
    return this.#entry.attempts <= (named.attempts ?? Number.POSITIVE_INFINITY);
  }

  /** Runs a handler in a transaction, which stores its result too; without one, it has to wait. */
  async #runInside(
    named: NamedHandler,
    limits: RunLimits,
  ): Promise<HandlerRun | NoPlace | LeaseLost> {
    const { transactions } = this.#parts;
    if (transactions === undefined) return { type: "lease_lost" };
    const { seq, lease } = this.#entry;
    const { clock } = this.#options;
    const isLast = this.#unfinished().length === 1;
    return transactions.run(this.#callOf(named), limits, (record) => {
      const unstored = transactions.unstored([...this.#records, record]);
      const result = { records: unstored, finishedHandlers: [...this.#finished, named.name] };
      const waits = this.#waits?.list([]);
      if (isLast) return settlementOf(this.#entry, clock, "handled", null, { ...result, waits });
      return { seq, lease, state: "running", ...result };
    });
  }

  /**
   * Each handler gets its own copy of the event, so that one that changes it does not affect the
   * next.
   */
  #callOf({ handler, tx: isInside }: NamedHandler) {
    return (own: OwnSignal, note: HandlerContext["note"], tx?: unknown) => {
      const context = handlerContext(this.#entry, this.#options.log, own, note);
      if (isInside === true) Object.assign(context, { tx });
      const call = (ready: unknown) => handler(ready as never, context);
      const { trace } = this.#parts;
      const traced = trace === undefined ? call : (ready: unknown) => trace.run(() => call(ready));
      const event = this.#plan.event();
      return isPromiseLike(event) ? event.then(traced) : traced(event);
    };
  }

  #note(named: NamedHandler, { record, failure }: HandlerRun): void {
    const isOk = record.outcome === "ok";
    if (isOk) this.#finished.add(named.name);
    if (named.target !== undefined) {
      const sender = named as Sender;
      if (isOk) this.#waits?.took(sender);
      else if (
        !this.#parts.signal.aborted &&
        this.#waits?.failed(sender, record, failure) === false
      )
        return;
    } else if (!isOk) {
      const { attempts = Number.POSITIVE_INFINITY } = named;
      this.#failures.push({ attempts, asked: failure.retryAfter });
    }
    this.#records.push(record);
  }

  #result() {
    const waits = this.#waits?.list(this.#unfinished());
    return { records: this.#records, finishedHandlers: [...this.#finished], waits };
  }

  #end(isInTurn: boolean, isCut: boolean): Settlement {
    const left = this.#unfinished();
    const result = this.#result();
    const { clock } = this.#options;
    if (left.length === 0) return settlementOf(this.#entry, clock, "handled", null, result);
    if (this.#parts.signal.aborted || (isCut && this.#failures.length === 0)) {
      return againOf(this.#entry, clock, null, { ...result, uncount: true });
    }
    const others = isInTurn && left.some(({ target }) => target?.name !== this.#parts.turn?.target);
    const leftToDo = {
      failures: this.#failures,
      waits: this.#waits,
      others,
      paused: this.#isPaused,
    };
    return afterFailure(this.#entry, this.#options, result, leftToDo);
  }
}
