import { drawAt } from "./draw.ts";

/** The faults to simulate. Probabilities are from 0 to 1, times are in milliseconds. */
export interface Chaos {
  /** Probability that a delivery is sent twice. */
  readonly duplicates: number;
  /** Probability that a delivery is held back until another one has gone out, for at most a second. */
  readonly reorder: number;
  /** Each delivery waits a random time from this range before its first attempt. */
  readonly delay: readonly [number, number];
  /** Probability that an attempt is signed with another secret. */
  readonly wrongSignature: number;
  /** Collects deliveries until there are this many, for at most a second, then sends them together. */
  readonly burst: number;
  /** Lets nothing through for this long, starting with the first attempt: attempts fail, streams are cut. */
  readonly outage: number;
}

/** Faults to simulate: those that are left out, or `undefined`, are not. */
export type ChaosOptions = { readonly [Name in keyof Chaos]?: Chaos[Name] | undefined };

/** No faults. */
export const NO_CHAOS: Chaos = {
  ...{ duplicates: 0, reorder: 0, delay: [0, 0], wrongSignature: 0, burst: 1, outage: 0 },
};

export interface DeliveryFate {
  /** Milliseconds before its first attempt. */
  readonly delay: number;
  readonly heldBack: boolean;
  /** The same for a second copy; `undefined` if there is none. */
  readonly copyDelay: number | undefined;
}

/** The faults of a delivery: always the same for the same seed and number. */
export function fateOf(seed: number, number: number, { duplicates, reorder, delay }: Chaos): DeliveryFate {
  const random = drawAt(seed, number, 0);
  const [low, high] = delay;
  const drawDelay = () => Math.round(low + random() * (high - low));
  const first = drawDelay();
  const heldBack = random() < reorder;
  return { delay: first, heldBack, copyDelay: random() < duplicates ? drawDelay() : undefined };
}

/** Whether an attempt, counted from 1, gets a wrong signature. */
export function isMissigned(
  seed: number,
  number: number,
  attempt: number,
  { wrongSignature }: Chaos,
): boolean {
  return drawAt(seed, number, attempt)() < wrongSignature;
}
