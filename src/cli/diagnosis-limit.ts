/** Diagnoses in a second at most, and what part of the time they may take. */
const PER_SECOND = 5;
const SHARE = 0.2;

/**
 * Says when one more diagnosis may be worked out: anybody who reaches the endpoint can send what asks for one, and the
 * work must not keep honest deliveries waiting.
 */
export class DiagnosisLimit {
  readonly #now: () => number;
  #started: number[] = [];
  #restUntil = Number.NEGATIVE_INFINITY;

  /** @param now - milliseconds that only go forward */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Works it out, or gives `undefined` where it is too much. */
  run<Result>(work: () => Result): Result | undefined {
    const start = this.#now();
    this.#started = this.#started.filter((earlier) => start - earlier < 1000);
    if (start < this.#restUntil || this.#started.length >= PER_SECOND) return undefined;
    this.#started.push(start);
    const result = work();
    const end = this.#now();
    // A few short ones in a row are fine; a long one is followed by a rest.
    if (end - start > 100) this.#restUntil = end + (end - start) * (1 / SHARE - 1);
    return result;
  }
}
