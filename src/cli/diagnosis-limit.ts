import type { DeliveryObservation } from "../receiver/observation.ts";
import type { Diagnosis } from "../signature/diagnose/diagnose.ts";
import type { NamedSecret } from "../signature/diagnose/keyings.ts";

/** Diagnoses in a second at most, and the part of the time that a long one may take. */
const PER_SECOND = 5;
const SHARE = 0.2;
/** Milliseconds that count as long. */
const LONG = 100;
/** What one may take, in bytes hashed: 0.1 to 0.2 seconds, in which the process does nothing else. */
const WORK = 1e8;

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

  /** Why a delivery was not authentic; nothing for another one, and `left_out` where it is too much. */
  diagnose(
    { outcome, diagnose }: Pick<DeliveryObservation, "outcome" | "diagnose">,
    others: readonly NamedSecret[],
  ): Diagnosis | "left_out" | undefined {
    if (diagnose === undefined) return undefined;
    // That a header is missing takes no work to see.
    if (outcome.type === "unauthorized" && outcome.reason === "signature_missing")
      return diagnose({ others });
    const start = this.#now();
    this.#started = this.#started.filter((earlier) => start - earlier < 1000);
    if (start < this.#restUntil || this.#started.length >= PER_SECOND) return "left_out";
    this.#started.push(start);
    const diagnosis = diagnose({ others, work: WORK });
    const took = this.#now() - start;
    if (took > LONG) this.#restUntil = start + took / SHARE;
    return diagnosis;
  }
}
