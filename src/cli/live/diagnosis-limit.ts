import type { DeliveryObservation } from "../../receiver/observation.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import type { NamedSecret } from "../../signature/diagnose/keyings.ts";

/** The work of one diagnosis in bytes hashed: 0.1 to 0.2 seconds, during which the process does nothing else. */
export const WORK = 1e8;
/** The share of the time that diagnoses may take, and the milliseconds of it that are saved up for a burst. */
export const SHARE = 0.2;
const SAVED = 500;
/** Bytes that are hashed in a millisecond, at least; and the milliseconds in which the common causes are found. */
const PER_MS = 5e5;
const LEAST = 10;

type Asked = Pick<DeliveryObservation, "outcome" | "diagnose">;
type Said = Diagnosis | "left_out" | undefined;

/**
 * Limits diagnoses: anyone who can reach the endpoint can trigger one, and the work must not delay honest deliveries. In a
 * burst each gets less work, which is enough for the common causes.
 */
export class DiagnosisLimit {
  readonly #now: () => number;
  /** The results so far, so that each observation is diagnosed once. */
  readonly #said = new WeakMap<object, Said>();
  /** Milliseconds that may be spent; below 0 after a diagnosis that took longer than expected. */
  #left = SAVED;
  #at: number;

  /** @param now - a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now();
  }

  /** Why a delivery was not authentic. Returns `undefined` for other deliveries, and `left_out` above the limit. */
  diagnose(observation: Asked, others: readonly NamedSecret[]): Said {
    if (!this.#said.has(observation)) this.#said.set(observation, this.#workOut(observation, others));
    return this.#said.get(observation);
  }

  #workOut({ outcome, diagnose }: Asked, others: readonly NamedSecret[]): Said {
    if (diagnose === undefined) return undefined;
    // A missing header takes no work to detect.
    if (outcome.type === "unauthorized" && outcome.reason === "signature_missing")
      return diagnose({ others });
    const start = this.#now();
    this.#left = Math.min(SAVED, this.#left + (start - this.#at) * SHARE);
    this.#at = start;
    if (this.#left < LEAST) return "left_out";
    // Half of what is left, so that the next one in a burst has some, too.
    const diagnosis = diagnose({ others, work: Math.min(WORK, (this.#left / 2) * PER_MS) });
    this.#left -= this.#now() - start;
    return diagnosis;
  }
}
