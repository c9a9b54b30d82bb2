import type { ClaimedEntry } from "../../inbox/claim.ts";
import { claimTerms } from "../claim-terms.ts";
import type { Claiming } from "../claiming.ts";
import type { DispatcherOptions } from "../dispatcher-options.ts";
import { TURN_OVERDUE } from "./entry-waits.ts";
import type { TargetEnd, TargetGate, TargetOptions, Turn } from "./target.ts";
import { type QueueWork, type ReadyEntry, TargetQueue, type Wanted } from "./target-queue.ts";

/**
 * The queues of all targets that were ever away, or refused an entry. Claims what waits, and gives
 * each its turn.
 */
export class TargetQueues implements TargetGate, QueueWork {
  readonly #options: DispatcherOptions;
  readonly #claiming: Claiming;
  readonly #queues = new Map<string, TargetQueue>();
  /** By entry: the queues it joins once its result is stored. */
  readonly #joining = new Map<number, TargetQueue[]>();
  #stopped = false;

  constructor(options: DispatcherOptions, claiming: Claiming) {
    this.#options = options;
    this.#claiming = claiming;
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
      this.#claiming.failures.report(thrown);
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

  /** Call it once an entry's result is stored, or is known not to be. */
  stored(seq: number): void {
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
    const { inbox, clock, role } = this.#options;
    if (role === "receive") return [];
    const { except: leased, claims, failures } = this.#claiming;
    const terms = {
      ...claimTerms(this.#options),
      now: clock(),
      limit,
      except: [...leased(), ...except],
    };
    try {
      const claim = inbox.claim({ ...terms, waitingFor: { target, after } });
      return await claims.follow(
        claim.then((entries) => entries.map((entry) => this.#ready(entry, target))),
      );
    } catch (thrown) {
      failures.report(thrown);
      return undefined;
    }
  }

  makeDue(entries: Parameters<QueueWork["makeDue"]>[0]): void {
    const { inbox, sources, clock } = this.#options;
    const { wake, failures } = this.#claiming;
    inbox
      .reschedule({ ...entries, sources }, clock())
      .then(wake, (thrown) => failures.report(thrown));
  }

  #ready(entry: ClaimedEntry, target: string): ReadyEntry {
    const turn: Turn = { target, end: undefined, asked: undefined };
    let begin = (_mayRun: boolean) => {};
    const began = new Promise<boolean>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<Turn>((resolve) => {
      const onEnd = () => resolve(turn);
      void this.#claiming.run(entry, {
        claimed: true,
        atOnce: true,
        before: () => began,
        turn,
        onEnd,
      });
    });
    const run = () => {
      begin(!this.#stopped);
      return ended;
    };
    return { seq: entry.seq, run, giveBack: () => begin(false) };
  }

  #of(target: TargetOptions): TargetQueue {
    const known = this.#queues.get(target.name);
    if (known !== undefined) return known;
    const queue = new TargetQueue(target, this);
    if (this.#stopped) void queue.stop();
    this.#queues.set(target.name, queue);
    return queue;
  }
}
