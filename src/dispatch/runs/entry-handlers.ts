import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import type { HandlerContext, NamedHandler, PlannedRun } from "../handler.ts";
import { EntryWaits, type Sender } from "../targets/entry-waits.ts";
import type { Turn } from "../targets/target.ts";
import type { NoPlace } from "../transactions/entry-transactions.ts";
import type { OwnSignal } from "./handler-context.ts";
import { handlerContext } from "./handler-context.ts";
import { type HandlerRun, type RunLimits, runHandler } from "./run-handler.ts";
import type { RunOptions } from "./run-options.ts";
import { afterFailure, type Failure, type Settle } from "./settling.ts";

/** What a run of an entry's handlers works with. */
interface EntryHandlersParts {
  readonly plan: PlannedRun;
  readonly options: RunOptions;
  readonly settle: Settle;
  readonly turn: Turn | undefined;
}

/** One run of the unfinished handlers of an entry, one after another. */
export class EntryHandlers {
  readonly #entry: ClaimedEntry;
  readonly #plan: PlannedRun;
  readonly #options: RunOptions;
  readonly #settle: Settle;
  readonly #turn: Turn | undefined;
  /** Made for an entry that waits already, or has a handler with a target. */
  #waits: EntryWaits | undefined;
  readonly #finished: Set<string>;
  readonly #records: AttemptRecord[] = [];
  readonly #failures: Failure[] = [];

  constructor(entry: ClaimedEntry, { plan, options, settle, turn }: EntryHandlersParts) {
    this.#entry = entry;
    this.#plan = plan;
    this.#options = options;
    this.#settle = settle;
    this.#turn = turn;
    if (entry.waits?.length) this.#waits = new EntryWaits(entry, options, turn);
    this.#finished = new Set(entry.finishedHandlers);
  }

  /** Runs them, and returns the entry's settlement. In its turn at a target, only the handler of that target runs. */
  async run(): Promise<Settlement> {
    const { signal, within } = this.#options;
    const turn = this.#turn;
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
      const limits = runLimits(named.name, this.#entry, this.#options);
      const running =
        named.tx === true ? this.#runInside(named, limits) : runHandler(this.#callOf(named), limits);
      const ran = running instanceof Promise ? await running : running;
      if (ran === undefined || "dueAt" in ran) return this.#unplaced(ran);
      this.#note(named, ran);
    }
    return this.#end(isInTurn, isCut);
  }

  #unfinished(): readonly NamedHandler[] {
    return this.#plan.run.filter(({ name }) => !this.#finished.has(name));
  }

  #mayRun(named: NamedHandler): boolean {
    if (named.target !== undefined) {
      this.#waits ??= new EntryWaits(this.#entry, this.#options, this.#turn);
      return this.#waits.mayTry(named as Sender);
    }
    return this.#entry.attempts <= (named.attempts ?? Number.POSITIVE_INFINITY);
  }

  /** Runs a handler in a transaction, which stores its result too; without one, it has to wait. */
  async #runInside(named: NamedHandler, limits: RunLimits): Promise<HandlerRun | NoPlace | undefined> {
    const { transactions } = this.#options;
    const { seq, lease } = this.#entry;
    const isLast = this.#unfinished().length === 1;
    return transactions?.run(this.#callOf(named), limits, (record) => {
      const unstored = transactions.unstored([...this.#records, record]);
      const result = { records: unstored, finishedHandlers: [...this.#finished, named.name] };
      if (isLast) return this.#settle("done", null, { ...result, waits: this.#waits?.list([]) });
      return { seq, lease, state: "running", ...result };
    });
  }

  /** Each handler gets its own copy of the event, so that one that changes it does not affect the next. */
  #callOf({ handler, tx: isInside }: NamedHandler) {
    return (own: OwnSignal, note: HandlerContext["note"], tx?: unknown) => {
      const context = handlerContext(this.#entry, this.#options.log, own, note);
      if (isInside === true) Object.assign(context, { tx });
      const call = (ready: unknown) => handler(ready as never, context);
      const { trace } = this.#options;
      const traced = trace === undefined ? call : (ready: unknown) => trace.run(() => call(ready));
      const event = this.#plan.event();
      return event instanceof Promise ? event.then(traced) : traced(event);
    };
  }

  #note(named: NamedHandler, { record, failure }: HandlerRun): void {
    const isOk = record.outcome === "ok";
    if (isOk) this.#finished.add(named.name);
    if (named.target !== undefined) {
      const sender = named as Sender;
      if (isOk) this.#waits?.took(sender);
      else if (!this.#options.signal.aborted && this.#waits?.failed(sender, record, failure) === false)
        return;
    } else if (!isOk) {
      const { attempts = Number.POSITIVE_INFINITY } = named;
      this.#failures.push({ attempts, asked: failure.retryAfter });
    }
    this.#records.push(record);
  }

  #unplaced(noPlace: NoPlace | undefined): Settlement {
    const sofar = this.#result();
    if (noPlace === undefined) return this.#settle("pending", null, sofar);
    return this.#settle("pending", noPlace.reason, { ...sofar, runAt: noPlace.dueAt, uncount: true });
  }

  #result() {
    const waits = this.#waits?.list(this.#unfinished());
    return { records: this.#records, finishedHandlers: [...this.#finished], waits };
  }

  #end(isInTurn: boolean, isCut: boolean): Settlement {
    const left = this.#unfinished();
    const result = this.#result();
    if (left.length === 0) return this.#settle("done", null, result);
    if (this.#options.signal.aborted || (isCut && this.#failures.length === 0)) {
      return this.#settle("pending", null, { ...result, uncount: true });
    }
    const others = isInTurn && left.some(({ target }) => target?.name !== this.#turn?.target);
    const leftToDo = { failures: this.#failures, waits: this.#waits, others };
    return afterFailure(this.#settle, this.#entry, this.#options, result, leftToDo);
  }
}

export function runLimits(
  handler: string,
  { attempts: attempt }: ClaimedEntry,
  options: RunOptions,
): RunLimits {
  const { handlerTimeout: timeout, signal, clock } = options;
  return { handler, attempt, timeout, signal, clock };
}
