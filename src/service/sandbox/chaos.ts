import { seededRandomAt } from "./draw.ts";

/** The faults to simulate. Probabilities are from 0 to 1, times are in milliseconds. */
export interface Chaos {
  /** Probability that a delivery is sent twice. */
  readonly duplicates: number;
  /**
   * Each delivery waits a random time from this range before its first attempt, so deliveries
   * change their order.
   */
  readonly delay: readonly [number, number];
  /** Probability that an attempt is signed with another secret. */
  readonly wrongSignature: number;
  /**
   * Lets nothing through for this long, starting with the first attempt: attempts fail, streams are
   * cut.
   */
  readonly outage: number;
}

/** Faults to simulate: those that are left out, or `undefined`, are not. */
export type ChaosOptions = { readonly [Name in keyof Chaos]?: Chaos[Name] | undefined };

export const NO_CHAOS: Chaos = { duplicates: 0, delay: [0, 0], wrongSignature: 0, outage: 0 };

/**
 * The faults of a delivery: always the same for the same seed and number. `copyDelay` is that
 * before the first attempt of a second copy; `undefined` if there is none.
 */
export function fateOf(seed: number, number: number, { duplicates, delay }: Chaos) {
  const random = seededRandomAt(seed, number, 0);
  const [low, high] = delay;
  const drawDelay = () => Math.round(low + random() * (high - low));
  const first = drawDelay();
  return { delay: first, copyDelay: random() < duplicates ? drawDelay() : undefined };
}

/** Whether an attempt, counted from 1, gets a wrong signature. */
export function isMissigned(
  seed: number,
  number: number,
  attempt: number,
  { wrongSignature }: Chaos,
) {
  return seededRandomAt(seed, number, attempt)() < wrongSignature;
}
