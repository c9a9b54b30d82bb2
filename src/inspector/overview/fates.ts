import { NewestMap } from "../../base/newest-map.ts";
import { countStates, type StateCounts } from "../../inbox/counts.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import type { Observation } from "../../receiver/observation.ts";

export const MINUTE = 60_000;
const NONE = countStates([]);
/** Entries that may still change, the oldest of which keeps the state that it had last. */
const MAX_OPEN = 20_000;
/** How many of them are looked up at a time, so that deliveries are not delayed. */
const LOOKED_UP = 500;
const MAX_EARLY = 1000; // attempts that ended before their delivery was reported

/**
 * Counts what became of the entries received in each minute while `listen` runs. Its size is
 * bounded.
 */
export class Fates {
  readonly #minutes = new Map<number, Record<EntryState, number>>();
  /**
   * Entries that are not handled, which is the only final state; the one looked up last is the
   * last.
   */
  readonly #open = new NewestMap<number, { minute: number; state: EntryState }>(MAX_OPEN);
  readonly #early = new NewestMap<number, EntryState>(MAX_EARLY);
  readonly #kept: number;

  constructor(minutes: number) {
    this.#kept = minutes;
  }

  note(observation: Observation): void {
    if (observation.type === "attempt") {
      const { seq, state } = observation;
      if (this.#open.has(seq)) this.#change(seq, state);
      else this.#early.set(seq, state);
      return;
    }
    const { outcome, receivedAt } = observation;
    if (!("seq" in outcome) || outcome.duplicate) return;
    const minute = Math.floor(receivedAt / MINUTE);
    for (const old of this.#minutes.keys())
      if (old <= minute - this.#kept) this.#minutes.delete(old);
    const kept = outcome.type === "rejected" ? "dead" : outcome.entryState;
    const state = this.#early.get(outcome.seq) ?? kept;
    this.#early.delete(outcome.seq);
    this.#add(minute, state, 1);
    if (state !== "handled") this.#open.set(outcome.seq, { minute, state });
  }

  /**
   * Looks up entries that no observation told of: those retried or dropped by hand, or run by
   * another process.
   */
  async lookUp(
    list: (filter: EntryFilter) => Promise<readonly Pick<Entry, "seq" | "state">[]>,
  ): Promise<void> {
    const seqs = [...this.#open.keys()].slice(0, LOOKED_UP);
    if (seqs.length === 0) return;
    const before = new Map(seqs.map((seq) => [seq, this.#open.get(seq)]));
    for (const { seq, state } of await list({ seqs })) {
      // What was observed in the meantime is newer.
      if (this.#open.get(seq) === before.get(seq)) this.#change(seq, state);
    }
  }

  /** What became of the entries received in the minute that starts then. */
  in(at: number): StateCounts {
    return this.#minutes.get(Math.floor(at / MINUTE)) ?? NONE;
  }

  #change(seq: number, state: EntryState): void {
    const fate = this.#open.get(seq);
    if (fate === undefined) return;
    this.#open.delete(seq);
    if (!this.#minutes.has(fate.minute)) return; // too long ago
    this.#add(fate.minute, fate.state, -1);
    this.#add(fate.minute, state, 1);
    if (state !== "handled") this.#open.set(seq, { minute: fate.minute, state });
  }

  #add(minute: number, state: EntryState, by: 1 | -1): void {
    const counts = this.#minutes.get(minute) ?? { ...NONE };
    counts[state] += by;
    this.#minutes.set(minute, counts);
  }
}
