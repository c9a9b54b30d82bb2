import type { DeliveryObservation } from "../../receiver/observation.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import type { NamedSecret } from "../../signature/diagnose/keyings.ts";

/** The maximum number of diagnoses per second, and the share of time for long ones. */
export const PER_SECOND = 5;
const SHARE = 0.2;
/** Milliseconds that count as long, for one diagnosis or several within a second. */
const LONG = 100;
/** The work of one diagnosis in bytes hashed: 0.1 to 0.2 seconds, during which the process does nothing else. */
export const WORK = 1e8;

/**
 * The work of a quick diagnosis, for those that are left out otherwise: enough for the common causes, in 5 to 10 ms. Together
 * they take this many milliseconds of a second at most.
 */
export const QUICK_WORK = 5e6;
const QUICK = 100;

/** Explains why a delivery was not authentic: see {@link DiagnosisLimit.diagnose}. */
export type DiagnoseRefusal = (observation: DeliveryObservation) => Diagnosis | "left_out" | undefined;

/**
 * Limits diagnoses: anyone who can reach the endpoint can trigger one, and the work must not delay honest deliveries.
 */
export class DiagnosisLimit {
  readonly #now: () => number;
  /** The results so far, so that each observation is diagnosed once. */
  readonly #said = new WeakMap<object, Diagnosis | "left_out" | undefined>();
  readonly #done = new LastSecond();
  readonly #quick = new LastSecond();
  #restUntil = Number.NEGATIVE_INFINITY;

  /** @param now - a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Why a delivery was not authentic. Returns `undefined` for other deliveries, and `left_out` above the limit. */
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
    // A missing header takes no work to detect.
    if (outcome.type === "unauthorized" && outcome.reason === "signature_missing")
      return diagnose({ others });
    const start = this.#now();
    if (start < this.#restUntil || this.#done.at(start).count >= PER_SECOND)
      return this.#workOutQuickly(diagnose, others);
    const diagnosis = diagnose({ others, work: WORK });
    this.#done.note(start, this.#now() - start);
    const { spent } = this.#done.at(start);
    if (spent > LONG) this.#restUntil = start + spent / SHARE;
    return diagnosis;
  }

  /** In a burst all have the same cause, which is a common one. If it finds none, that says nothing. */
  #workOutQuickly(
    diagnose: NonNullable<DeliveryObservation["diagnose"]>,
    others: readonly NamedSecret[],
  ): Diagnosis | "left_out" | undefined {
    const start = this.#now();
    if (this.#quick.at(start).spent >= QUICK) return "left_out";
    const diagnosis = diagnose({ others, work: QUICK_WORK });
    this.#quick.note(start, this.#now() - start);
    return diagnosis === undefined || diagnosis.explanations.length > 0 ? diagnosis : "left_out";
  }
}

/** How many diagnoses there were within a second, and the milliseconds that they took. */
class LastSecond {
  #all: readonly { readonly start: number; readonly took: number }[] = [];

  note(start: number, took: number): void {
    this.#all = [...this.#all, { start, took }];
  }

  at(now: number): { readonly count: number; readonly spent: number } {
    this.#all = this.#all.filter(({ start }) => now - start < 1000);
    return { count: this.#all.length, spent: this.#all.reduce((sum, { took }) => sum + took, 0) };
  }
}
