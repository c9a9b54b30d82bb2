import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { TargetEnd, TargetGate, TargetOptions } from "./target.ts";
import { type QueueWork, TargetQueue } from "./target-queue.ts";

/** The queues of all targets that were ever found away, or that refused an entry. */
export class TargetQueues implements TargetGate {
  readonly #work: QueueWork;
  readonly #queues = new Map<string, TargetQueue>();
  /** By entry: the queues it joins once its result is stored. */
  readonly #joining = new Map<number, TargetQueue[]>();
  #stopped = false;

  constructor(work: QueueWork) {
    this.#work = work;
  }

  /** Begins with the entries that wait for these targets from before; resolves once the oldest are claimed. */
  async open(targets: readonly TargetOptions[]): Promise<void> {
    await Promise.all(targets.map((target) => this.#of(target).open()));
  }

  /** Starts nothing more, and resolves once nothing is being tried in turn. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()));
  }

  /** The same for an entry that is run at once, since its caller waits for the result: it never waits for its turn. */
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

  tried(target: TargetOptions, entry: ClaimedEntry, end: TargetEnd, asked: number | undefined): void {
    const known = this.#queues.get(target.name);
    if (known !== undefined || end !== "took") (known ?? this.#of(target)).tried(entry, end, asked);
  }

  #of(target: TargetOptions): TargetQueue {
    const known = this.#queues.get(target.name);
    if (known !== undefined) return known;
    const queue = new TargetQueue(target, this.#work);
    this.#queues.set(target.name, queue);
    return queue;
  }
}
