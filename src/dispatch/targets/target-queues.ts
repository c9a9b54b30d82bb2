import { EventEmitter } from "node:events";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import { hasEnded } from "../../inbox/entry-state.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import type { TargetEnd, TargetGate, TargetOptions, Turn } from "../plan/target.ts";
import type { Claims } from "../runs/claims.ts";
import type { DispatcherOptions } from "../runs/dispatcher-options.ts";
import type { EntryRunner, Taken } from "../runs/entry-runner.ts";
import { TURN_OVERDUE } from "../runs/entry-waits.ts";
import { type QueueWork, type ReadyEntry, TargetQueue, type Wanted } from "./target-queue.ts";

interface QueuesEvents {
  /** Entries were made due. */
  due: [];
}

/**
 * The queues of all targets that were ever away, or refused an entry. Claims what waits, and gives
 * each its turn.
 */
export class TargetQueues extends EventEmitter<QueuesEvents> implements TargetGate, QueueWork {
  readonly #options: DispatcherOptions;
  readonly #claims: Claims;
  readonly #runner: EntryRunner;
  readonly #queues = new Map<string, TargetQueue>();
  /** By entry: the queues it joins once its result is stored. */
  readonly #joining = new Map<number, TargetQueue[]>();
  #stopped = false;

  constructor(options: DispatcherOptions, claims: Claims, runner: EntryRunner) {
    super();
    this.#options = options;
    this.#claims = claims;
    this.#runner = runner;
  }

  /** Gives entries that wait from before their turn, before any other entry is claimed. */
  open(): Promise<void> | undefined {
    const { knownTargets } = this.#options;
    return knownTargets === undefined ? undefined : this.#open(knownTargets());
  }

  async #open(known: readonly TargetOptions[]): Promise<void> {
    const { inbox, sources, clock } = this.#options;
    try {
      const waiting = new Set((await inbox.waiting({ sources })).map(({ target }) => target));
      const open = known.filter(({ name }) => waiting.delete(name));
      const names = open.map(({ name }) => name);
      // They wait for their turn, however long they have been due: a claim of due entries would
      // pass some by.
      if (open.length > 0)
        await inbox.reschedule({ targets: names, sources }, clock() + TURN_OVERDUE);
      // What waits for a target of an earlier run is for the targets and handlers of this one.
      if (waiting.size > 0) await inbox.reschedule({ targets: [...waiting], sources }, clock());
      await Promise.all(open.map((target) => this.#of(target).open()));
    } catch (thrown) {
      this.#claims.failures.report(thrown);
    }
  }

  /** Starts nothing more, and resolves once nothing is being tried in turn. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()));
  }

  /**
   * The same for an entry that is run at once, since its caller waits for the result: it never
   * waits for its turn.
   */
  readonly atOnce: TargetGate = {
    holds: () => false,
    hold: () => {},
    repeats: (target, failure) => this.repeats(target, failure),
    tried: (target, entry, end, asked) => this.tried(target, entry, end, asked),
  };

  holds({ name }: TargetOptions, entry: ClaimedEntry): boolean {
    return this.#queues.get(name)?.holds(entry) === true;
  }

  hold(target: TargetOptions, { seq }: ClaimedEntry): void {
    this.#joining.set(seq, [...(this.#joining.get(seq) ?? []), this.#of(target)]);
  }

  /** An entry's result is stored, or is known not to be. */
  #join(seq: number): void {
    if (this.#joining.size === 0) return;
    const queues = this.#joining.get(seq) ?? [];
    this.#joining.delete(seq);
    if (!this.#stopped) for (const queue of queues) queue.joined(seq);
  }

  repeats(target: TargetOptions, failure: string | null): boolean {
    return this.#of(target).repeats(failure);
  }

  tried(
    target: TargetOptions,
    entry: ClaimedEntry,
    end: TargetEnd,
    asked: number | undefined,
  ): void {
    const known = this.#queues.get(target.name);
    if (known !== undefined || end !== "took") (known ?? this.#of(target)).tried(entry, end, asked);
  }

  async claim({
    target,
    after,
    limit,
    except,
  }: Wanted): Promise<readonly ReadyEntry[] | undefined> {
    if (this.#options.role === "receive") return [];
    const claims = this.#claims;
    try {
      const claim = claims.waitingFor({ target, after }, { limit, except });
      return await claims.follow(
        claim.then((entries) => entries.map((entry) => this.#ready(entry, target))),
      );
    } catch (thrown) {
      claims.failures.report(thrown);
      return undefined;
    }
  }

  makeDue(entries: Parameters<QueueWork["makeDue"]>[0]): void {
    const { inbox, sources, clock } = this.#options;
    inbox.reschedule({ ...entries, sources }, clock()).then(
      () => this.emit("due"),
      (thrown) => this.#claims.failures.report(thrown),
    );
  }

  #ready(entry: ClaimedEntry, target: string): ReadyEntry {
    const runner = this.#runner;
    const taken = runner.take(entry);
    const turn: Turn = { target, end: undefined, asked: undefined };
    const giveBack = () => runner.run(taken, { type: "give_back" });
    const run = async () => {
      if (this.#stopped) await giveBack();
      else await this.#runInTurn(taken, turn);
      return turn;
    };
    return { seq: entry.seq, run, giveBack: () => void giveBack() };
  }

  /** Resolves once the target was tried: the result may still be being stored. */
  #runInTurn(taken: Taken, turn: Turn): Promise<void> {
    return new Promise((tried) => {
      void this.#runner.run(taken, { type: "turn", targets: this, turn, tried }).finally(tried);
    });
  }

  #ended({ seq, waits }: ClaimedEntry, settlement: Settlement | undefined): void {
    if (settlement === undefined || settlement.waits !== undefined) this.#join(seq);
    const isOver = settlement !== undefined && hasEnded(settlement.state);
    if (isOver && waits !== undefined) for (const queue of this.#queues.values()) queue.forget(seq);
  }

  #of(target: TargetOptions): TargetQueue {
    const known = this.#queues.get(target.name);
    if (known !== undefined) return known;
    if (this.#queues.size === 0)
      this.#runner.prependListener("ended", (entry, settlement) => this.#ended(entry, settlement));
    const queue = new TargetQueue(target, this);
    if (this.#stopped) void queue.stop();
    this.#queues.set(target.name, queue);
    return queue;
  }
}
