import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { ClaimFailures } from "../claim-failures.ts";
import type { DispatcherOptions } from "../dispatcher-options.ts";
import type { EntryRun } from "../runs/entry-run.ts";
import { TURN_OVERDUE } from "./entry-waits.ts";
import type { TargetOptions, Turn } from "./target.ts";
import type { QueueWork, ReadyEntry, Wanted } from "./target-queue.ts";
import { TargetQueues } from "./target-queues.ts";

/** What turns need of the dispatcher. */
interface Dispatching {
  readonly failures: ClaimFailures;
  readonly horizon: number;
  readonly run: (entry: ClaimedEntry, how: EntryRun) => void;
  /** Entries not to claim. */
  readonly except: () => readonly number[];
  /** Makes a shutdown wait for a claim. */
  readonly whileClaiming: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly wake: () => void;
}

/** Gives entries that wait for a target their turn: the work between the queues and the inbox. */
export class Turns implements QueueWork {
  readonly queues = new TargetQueues(this);
  readonly #options: DispatcherOptions;
  readonly #dispatching: Dispatching;

  constructor(options: DispatcherOptions, dispatching: Dispatching) {
    this.#options = options;
    this.#dispatching = dispatching;
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
      // They wait for their turn, however long they have been due: a claim of due entries would pass some by.
      if (open.length > 0) await inbox.reschedule({ targets: names, sources }, clock() + TURN_OVERDUE);
      // What waits for a target of an earlier run is for the targets and handlers of this one.
      if (waiting.size > 0) await inbox.reschedule({ targets: [...waiting], sources }, clock());
      await this.queues.open(open);
    } catch (thrown) {
      this.#dispatching.failures.report(thrown);
    }
  }

  async claim({ target, after, limit, except }: Wanted): Promise<readonly ReadyEntry[] | undefined> {
    const { inbox, clock, leaseTime, deadBlocks, sources, runner, role } = this.#options;
    if (role === "receive") return [];
    const { horizon, except: leased, whileClaiming, failures } = this.#dispatching;
    const terms = { leaseTime, deadBlocks, sources, runner, horizon, limit };
    const passed = [...leased(), ...except];
    try {
      return await whileClaiming(async () => {
        const request = { ...terms, now: clock(), except: passed, waitingFor: { target, after } };
        return (await inbox.claim(request)).map((entry) => this.#ready(entry, target));
      });
    } catch (thrown) {
      failures.report(thrown);
      return undefined;
    }
  }

  hasten(entries: Parameters<QueueWork["hasten"]>[0]): void {
    const { inbox, sources, clock } = this.#options;
    const { wake, failures } = this.#dispatching;
    inbox.reschedule({ ...entries, sources }, clock()).then(wake, (thrown) => failures.report(thrown));
  }

  #ready(entry: ClaimedEntry, target: string): ReadyEntry {
    const turn: Turn = { target, end: undefined, asked: undefined };
    let begin = (_mayRun: boolean) => {};
    const began = new Promise<boolean>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<Turn>((resolve) => {
      const onEnd = () => resolve(turn);
      this.#dispatching.run(entry, { claimed: true, atOnce: true, before: () => began, turn, onEnd });
    });
    const run = () => {
      begin(true);
      return ended;
    };
    return { seq: entry.seq, run, giveBack: () => begin(false) };
  }
}
