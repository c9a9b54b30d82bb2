/** The work of one diagnosis in bytes hashed: 0.1 to 0.2 seconds. */
export const WORK = 1e8;
/**
 * The share of the time that diagnoses may take, and the milliseconds of it that are saved up for a
 * burst.
 */
export const SHARE = 0.2;
const SAVED = 500;
/**
 * Bytes that are hashed in a millisecond, at least; and the milliseconds in which the common causes
 * are found.
 */
const PER_MS = 5e5;
const LEAST = 10;

/**
 * Limits diagnoses: anyone who can reach the endpoint can trigger one, and they must not use up the
 * processor. In a burst each gets less work, which is enough for the common causes.
 */
export class DiagnosisLimit {
  readonly #now: () => number;
  /** Milliseconds that may be spent; below 0 after a diagnosis that took longer than expected. */
  #left = SAVED;
  #at: number;

  /** @param now - a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now();
  }

  /** The work that the next diagnosis may do; `undefined` if it is to be left out. */
  work(): number | undefined {
    const now = this.#now();
    this.#left = Math.min(SAVED, this.#left + (now - this.#at) * SHARE);
    this.#at = now;
    if (this.#left < LEAST) return undefined;
    // Half of what is left, so that the next one in a burst has some, too.
    return Math.min(WORK, (this.#left / 2) * PER_MS);
  }

  /** Counts the milliseconds that a diagnosis took. */
  spend(ms: number): void {
    this.#left -= ms;
  }
}
