import type { Logger } from "../../base/logger.ts";
import { describeError } from "../../errors.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import type { HandlerContext, NamedHandler, Plan } from "../handler.ts";
import { type RetryPolicy, retryDelay } from "../retry.ts";
import { EntryWaits, type Sender } from "../targets/entry-waits.ts";
import type { TargetGate, Turn } from "../targets/target.ts";
import type { EntryTransactions, NoPlace } from "../transactions/entry-transactions.ts";
import type { AttemptTrace } from "./attempt-tracing.ts";
import type { TimeLimit } from "./entry-run.ts";
import { handlerContext } from "./handler-context.ts";
import type { OwnSignal } from "./own-signal.ts";
import { type HandlerRun, type RunLimits, runHandler } from "./run-handler.ts";

/** How entries are run. */
export interface RunOptions {
  /** Reads the entry and finds its handlers. */
  readonly plan: (entry: ClaimedEntry) => Plan | Promise<Plan>;
  readonly retry: RetryPolicy;
  readonly handlerTimeoutMs: number;
  readonly clock: () => number;
  readonly random: () => number;
  /** Decides which entries wait for their turn at a target. Default: none do. */
  readonly targets?: TargetGate | undefined;
  /** Runs handlers in transactions. Default: none can have one. */
  readonly transactions?: EntryTransactions | undefined;
  /** Follows this run from inside. Default: nothing does. */
  readonly trace?: Pick<AttemptTrace, "run"> | undefined;
  readonly log: Logger;
  /** Aborted when a shutdown no longer waits for handlers. */
  readonly signal: AbortSignal;
  /** Whether another handler may start. Default: as long as the signal is not aborted. */
  readonly within?: Pick<TimeLimit, "fits"> | undefined;
}

/**
 * Runs the unfinished handlers of a claimed entry, one after another, and returns the entry's settlement. In its turn at
 * a target, only the handler of that target runs.
 */
export async function runEntry(entry: ClaimedEntry, options: RunOptions, turn?: Turn): Promise<Settlement> {
  const { seq, lease } = entry;
  const settle: Settle = (state, reason, more = {}) => {
    const {
      runAt = options.clock(),
      finishedHandlers = entry.finishedHandlers,
      records = [],
      uncount = false,
      problems,
      waits,
    } = more;
    const unordered = entry.orderKey === null;
    return {
      seq,
      lease,
      state,
      reason,
      problems,
      runAt,
      finishedHandlers,
      records,
      waits,
      uncount,
      unordered,
    };
  };
  if (entry.unreadable !== undefined) {
    options.log.error({ seq, error: entry.unreadable }, "an entry cannot be read: it is now a dead letter");
    return settle("dead", "unreadable");
  }
  // Claimed more often than it may run: the processes that ran it died before they could settle it.
  if (entry.attempts > options.retry.attempts) return settle("dead", "attempts_exhausted");

  const { handlerTimeoutMs: timeoutMs, signal, clock } = options;
  const { attempts: attempt } = entry;
  const limitsOf = (handler: string): RunLimits => ({ handler, attempt, timeoutMs, signal, clock });
  const planning = planned(entry, options, limitsOf("plan"));
  const plan = planning instanceof Promise ? await planning : planning;
  if ("error" in plan) {
    options.log.error({ seq, error: plan.error }, "an entry could not be read; trying again later");
    return afterFailure(settle, entry, options, {}, { failures: [UNREADABLE] });
  }
  if ("end" in plan) {
    return settle(plan.end, plan.end === "done" ? null : plan.reason, { problems: plan.problems });
  }
  if ("leave" in plan) {
    const reason = entry.waits?.length ? TARGET_AWAY : null;
    return settle("pending", reason, { runAt: entry.dueAt ?? clock(), uncount: true });
  }
  if ("wait" in plan) return settle("pending", plan.reason, { runAt: clock() + plan.wait, uncount: true });

  const records: AttemptRecord[] = [];
  const finished = new Set(entry.finishedHandlers);
  const failures: Failure[] = [];
  const waits = new EntryWaits(entry, options, turn);
  const unfinished = () => plan.run.filter(({ name }) => !finished.has(name));
  /** Whether a handler was left out for lack of time. */
  let isCut = false;
  const isInTurn = turn !== undefined && unfinished().some(({ target }) => target?.name === turn.target);
  for (const named of unfinished()) {
    const { name, handler, attempts = Number.POSITIVE_INFINITY } = named;
    if (isInTurn && named.target?.name !== turn.target) continue;
    if (isSender(named) ? !waits.mayTry(named) : entry.attempts > attempts) continue;
    if (signal.aborted) break;
    if (options.within?.fits() === false) {
      isCut = true;
      break;
    }
    // Each handler gets its own copy of the event, so that one that changes it does not affect the next.
    const run = (own: OwnSignal, note: HandlerContext["note"], tx?: unknown) => {
      const context = handlerContext(entry, options.log, own, note);
      if (named.tx === true) Object.assign(context, { tx });
      const call = (ready: unknown) => handler(ready as never, context);
      const { trace } = options;
      const traced = trace === undefined ? call : (ready: unknown) => trace.run(() => call(ready));
      const event = plan.event();
      return event instanceof Promise ? event.then(traced) : traced(event);
    };
    let ran: HandlerRun | NoPlace | undefined;
    if (named.tx !== true) {
      const running = runHandler(run, limitsOf(name));
      ran = running instanceof Promise ? await running : running;
    } else {
      const isLast = unfinished().length === 1;
      ran = await options.transactions?.run(run, limitsOf(name), (record) => {
        const unstored = options.transactions?.unstored([...records, record]) ?? [];
        const result = { records: unstored, finishedHandlers: [...finished, name] };
        if (isLast) return settle("done", null, { ...result, waits: waits.list([]) });
        return { seq, lease, state: "running", ...result };
      });
    }
    if (ran === undefined || "dueAt" in ran) {
      const sofar = { records, finishedHandlers: [...finished], waits: waits.list(unfinished()) };
      if (ran === undefined) return settle("pending", null, sofar);
      return settle("pending", ran.reason, { ...sofar, runAt: ran.dueAt, uncount: true });
    }
    const { record, failure } = ran;
    const { outcome } = record;
    if (outcome === "ok") finished.add(name);
    if (isSender(named) && outcome === "ok") waits.took(named);
    if (isSender(named) && outcome !== "ok" && !signal.aborted && !waits.failed(named, record, failure))
      continue;
    records.push(record);
    if (outcome !== "ok" && !isSender(named)) failures.push({ attempts, asked: failure.retryAfterMs });
  }
  const left = unfinished();
  const result = { records, finishedHandlers: [...finished], waits: waits.list(left) };
  if (left.length === 0) return settle("done", null, result);
  if (signal.aborted || (isCut && failures.length === 0))
    return settle("pending", null, { ...result, uncount: true });
  const others = isInTurn && left.some(({ target }) => target?.name !== turn.target);
  return afterFailure(settle, entry, options, result, { failures, waits, others });
}

/** Whether a handler has a target. */
function isSender(named: NamedHandler): named is Sender {
  return named.target !== undefined;
}

/** The plan for an entry, or why there is none; with the time limit of a handler. */
function planned(
  entry: ClaimedEntry,
  options: RunOptions,
  limits: RunLimits,
): Plan | Unplanned | Promise<Plan | Unplanned> {
  try {
    const plan = options.plan(entry);
    return plan instanceof Promise ? plannedInTime(plan, limits) : plan;
  } catch (thrown) {
    return { error: describeError(thrown) };
  }
}

async function plannedInTime(plan: Promise<Plan>, limits: RunLimits): Promise<Plan | Unplanned> {
  let made: Plan | undefined;
  const { record } = await runHandler(async () => {
    made = await plan;
  }, limits);
  return made ?? { error: record.error };
}

/** Why there is no plan for an entry. */
interface Unplanned {
  readonly error: string | null;
}

type Settle = (
  state: Settlement["state"],
  reason: string | null,
  more?: Partial<Omit<Settlement, "seq" | "lease">>,
) => Settlement;

/** The failure of a handler. */
interface Failure {
  /** The handler's own maximum of attempts. */
  readonly attempts: number;
  /** Milliseconds that it asked to wait. */
  readonly asked: number | undefined;
}

/** A failure outside any handler has no limit but the retry policy's. */
const UNREADABLE: Failure = { attempts: Number.POSITIVE_INFINITY, asked: undefined };

/** What is left to do for an entry. */
interface Left {
  readonly failures: readonly Failure[];
  readonly waits?: EntryWaits;
  /** Whether it was the entry's turn at one target, and it has other handlers. */
  readonly others?: boolean;
}

function afterFailure(
  settle: Settle,
  entry: ClaimedEntry,
  { retry, random, clock }: RunOptions,
  result: Partial<Settlement>,
  { failures, waits, others = false }: Left,
): Settlement {
  // All failed handlers run again together, so the longest of their waits counts.
  const drawn = random();
  const delays = failures.flatMap(({ attempts, asked }) => {
    const policy = { ...retry, attempts: Math.min(retry.attempts, attempts) };
    return retryDelay(entry.attempts, policy, drawn, asked) ?? [];
  });
  const times = [...delays.map((delay) => clock() + delay), ...(waits?.retryTimes ?? [])];
  const { overdueAt } = waits ?? {};
  const reason = overdueAt === undefined ? null : TARGET_AWAY;
  const uncount = others || (waits !== undefined && result.records?.length === 0);
  const next = times.length > 0 ? Math.max(...times) : overdueAt;
  // The others keep their time, unless this was what they waited for.
  if (others) {
    const kept = next === undefined ? clock() : Math.min(next, entry.dueAt ?? next);
    return settle("pending", reason, { ...result, uncount, runAt: kept });
  }
  if (next === undefined) return settle("dead", waits?.over ?? "attempts_exhausted", result);
  return settle("pending", reason, { ...result, uncount, runAt: next });
}
