import { retryDelay } from "../../base/options/retry.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { DeadReason } from "../../inbox/reasons.ts";
import type { TargetWait } from "../../inbox/target-wait.ts";
import type { NamedHandler } from "../plan/handler.ts";
import type { TargetEnd, TargetFailure, TargetOptions } from "../plan/target.ts";
import type { RunOptions, RunParts } from "./run-options.ts";

/**
 * Milliseconds until an entry that waits for its turn is due anyway, in case the process that would
 * give it has died.
 */
export const TURN_OVERDUE = 600_000;

export type Sender = NamedHandler & { readonly target: TargetOptions };

export class EntryWaits {
  readonly #entry: ClaimedEntry;
  readonly #terms: Pick<RunOptions, "retry" | "clock" | "random">;
  readonly #targets: RunParts["targets"];
  readonly #turn: RunParts["turn"];
  readonly #waits: Map<string, TargetWait>;
  readonly #held = new Map<string, Sender>();
  readonly #retried: TargetWait[] = [];

  constructor(
    entry: ClaimedEntry,
    terms: Pick<RunOptions, "retry" | "clock" | "random">,
    { targets, turn }: Pick<RunParts, "targets" | "turn">,
  ) {
    this.#entry = entry;
    this.#terms = terms;
    this.#targets = targets;
    this.#turn = turn;
    this.#waits = new Map(entry.waits?.map((wait) => [wait.target, wait]));
  }

  /** Whether a target may be tried now: it was not given up on, and it is the entry's turn. */
  mayTry(handler: Sender): boolean {
    const { target } = handler;
    const wait = this.#waits.get(target.name);
    if (wait?.over != null) return false;
    const now = this.#terms.clock();
    if (wait !== undefined && now >= wait.since + (target.maxWait ?? Number.POSITIVE_INFINITY)) {
      this.#waits.set(target.name, { ...wait, over: "waited_too_long" });
      return false;
    }
    if (this.#turn?.target === target.name) return true;
    if (this.#targets?.holds(target, this.#entry) !== true) return true;
    this.#hold(handler);
    return false;
  }

  took({ target }: Sender): void {
    this.#waits.delete(target.name);
    this.#report(target, "took");
  }

  /**
   * Notes that an attempt failed. Returns `false` if it was only a probe: made before its back-off
   * was over, with the same result as the last attempt at this target. Such an attempt does not
   * count.
   */
  failed(
    handler: Sender,
    { error, note, startedAt }: AttemptRecord,
    failure: TargetFailure,
  ): boolean {
    const { target } = handler;
    const { away, final, retryAfter: asked } = failure;
    this.#report(
      target,
      away === undefined ? "answered" : away === true ? "away" : "perhaps",
      asked,
    );
    const before = this.#waits.get(target.name);
    const repeats = this.#targets?.repeats(target, note?.split("\n", 1)[0] ?? error) === true;
    const isProbe = repeats && final !== true && before !== undefined && startedAt < before.nextAt;
    const wait = isProbe ? before : this.#afterFailure(handler, before, failure);
    this.#waits.set(target.name, wait);
    if (wait.over !== null) return true;
    // A target that answered has its turn again by the entry's own back-off.
    if (away !== undefined && this.#targets?.holds(target, this.#entry) === true)
      this.#hold(handler);
    else this.#retried.push(wait);
    return !isProbe;
  }

  #afterFailure(
    handler: Sender,
    before: TargetWait | undefined,
    failure: TargetFailure,
  ): TargetWait {
    const { target, attempts: most = Number.POSITIVE_INFINITY } = handler;
    const { final, retryAfter: asked } = failure;
    const { retry, random, clock } = this.#terms;
    const now = clock();
    const since = before?.since ?? now;
    const attempts = (before?.attempts ?? 0) + 1;
    const policy = { ...retry, attempts: Math.min(retry.attempts, most) };
    const delay = retryDelay(attempts, policy, random(), asked);
    const deadline = since + (target.maxWait ?? Number.POSITIVE_INFINITY);
    let over: DeadReason | null = null;
    if (final === true) over = "refused_for_good";
    else if (delay === undefined) over = "attempts_exhausted";
    else if (now >= deadline) over = "waited_too_long";
    return {
      target: target.name,
      since,
      attempts,
      nextAt: Math.min(now + (delay ?? 0), deadline),
      over,
    };
  }

  /** What to store; `undefined` if it is what is stored already. */
  list(handlers: readonly NamedHandler[]): readonly TargetWait[] | undefined {
    if (this.#waits.size === 0 && (this.#entry.waits ?? []).length === 0) return undefined;
    const names = new Set(handlers.map(({ target }) => target?.name));
    const list = [...this.#waits.values()].filter(({ target }) => names.has(target));
    return list.length === 0 && (this.#entry.waits ?? []).length === 0 ? undefined : list;
  }

  /** When each target that failed now is tried again by its back-off. */
  get retryTimes(): readonly number[] {
    return this.#retried.map(({ nextAt }) => nextAt);
  }

  /**
   * When the entry is due if it does not get its turn before; `undefined` if it waits for no turn.
   */
  get overdueAt(): number | undefined {
    if (this.#held.size === 0) return undefined;
    const deadlines = [...this.#held.values()].map(({ target }) => {
      const since = this.#waits.get(target.name)?.since ?? 0;
      return since + (target.maxWait ?? Number.POSITIVE_INFINITY);
    });
    return Math.min(this.#terms.clock() + TURN_OVERDUE, ...deadlines);
  }

  get over(): DeadReason | undefined {
    const over = [...this.#waits.values()].find((wait) => wait.over !== null)?.over ?? undefined;
    return over as DeadReason | undefined; // only this class sets it
  }

  #hold(handler: Sender): void {
    const { name } = handler.target;
    const now = this.#terms.clock();
    if (!this.#waits.has(name)) {
      this.#waits.set(name, { target: name, since: now, attempts: 0, nextAt: now, over: null });
    }
    this.#held.set(name, handler);
    this.#targets?.hold(handler.target, this.#entry);
  }

  #report(target: TargetOptions, end: TargetEnd, asked?: number): void {
    if (this.#turn?.target === target.name) Object.assign(this.#turn, { end, asked });
    else this.#targets?.tried(target, this.#entry, end, asked);
  }
}
