import type { DeliveryObservation } from "../../receiver/observation.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import type { NamedSecret } from "../../signature/diagnose/keyings.ts";

/** Diagnoses in a second at most, and the part of the time that long ones may take. */
const PER_SECOND = 5;
const SHARE = 0.2;
/** Milliseconds that count as long, in one or in several within a second. */
const LONG = 100;
/** What one may take, in bytes hashed: 0.1 to 0.2 seconds, in which the process does nothing else. */
const WORK = 1e8;

/** Why a delivery was not authentic: see {@link DiagnosisLimit.diagnose}. */
export type DiagnoseRefusal = (observation: DeliveryObservation) => Diagnosis | "left_out" | undefined;

/**
 * Says when one more diagnosis may be worked out: anybody who reaches the endpoint can send what asks for one, and the
 * work must not keep honest deliveries waiting.
 */
export class DiagnosisLimit {
  readonly #now: () => number;
  /** What was said of an observation, for whoever asks next. */
  readonly #said = new WeakMap<object, Diagnosis | "left_out" | undefined>();
  #done: { at: number; took: number }[] = [];
  #restUntil = Number.NEGATIVE_INFINITY;

  /** @param now - milliseconds that only go forward */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Why a delivery was not authentic; nothing for another one, and `left_out` where it is too much. */
  diagnose(
    observation: Pick<DeliveryObservation, "outcome" | "diagnose">,
    others: readonly NamedSecret[],
  ): Diagnosis | "left_out" | undefined {
    if (!this.#said.has(observation)) this.#said.set(observation, this.#workOut(observation, others));
    return this.#said.get(observation);
  }

  #workOut(
    { outcome, diagnose }: Pick<DeliveryObservation, "outcome" | "diagnose">,
    others: readonly NamedSecret[],
  ): Diagnosis | "left_out" | undefined {
    if (diagnose === undefined) return undefined;
    // That a header is missing takes no work to see.
    if (outcome.type === "unauthorized" && outcome.reason === "signature_missing")
      return diagnose({ others });
    const start = this.#now();
    this.#done = this.#done.filter(({ at }) => start - at < 1000);
    if (start < this.#restUntil || this.#done.length >= PER_SECOND) return "left_out";
    const diagnosis = diagnose({ others, work: WORK });
    this.#done.push({ at: start, took: this.#now() - start });
    const spent = this.#done.reduce((sum, { took }) => sum + took, 0);
    if (spent > LONG) this.#restUntil = start + spent / SHARE;
    return diagnosis;
  }
}
