import { hasEnded } from "../../inbox/entry-state.ts";
import type { AttemptObservation } from "../../receiver/observation.ts";

/** Entries whose last errors are remembered; beyond that, the oldest are forgotten and their errors printed in full. */
const REMEMBERED = 1000;

/** Recognises attempts that failed with the same errors as the attempt before. */
export class RepeatedErrors {
  readonly #last = new Map<number, string>();

  /** Notes an attempt; returns whether all of its errors are those of the entry's last attempt. */
  note({ seq, state, records }: AttemptObservation): boolean {
    const failed = records.filter(({ error }) => error !== null);
    const errors = JSON.stringify(failed.map(({ handler, error, failure }) => [handler, error, failure?.at]));
    const repeats = failed.length > 0 && this.#last.get(seq) === errors;
    this.#last.delete(seq);
    if (!hasEnded(state)) this.#last.set(seq, errors);
    const [oldest] = this.#last.keys();
    if (this.#last.size > REMEMBERED && oldest !== undefined) this.#last.delete(oldest);
    return repeats;
  }
}
