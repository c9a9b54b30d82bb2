import { drawAt } from "./draw.ts";

/** What goes wrong on purpose. Chances are from 0 to 1, times are milliseconds. */
export interface Chaos {
  /** Chance that a delivery is sent twice. */
  readonly duplicates: number;
  /** Chance that a delivery is held back until another one has gone out, a second at most. */
  readonly reorder: number;
  /** Each delivery waits, before its first attempt, a time drawn from this range. */
  readonly delay: readonly [number, number];
  /** Chance that an attempt carries a signature of another secret. */
  readonly wrongSignature: number;
  /** Deliveries are gathered, a second at most, until there are so many, then sent at once. */
  readonly burst: number;
  /** From the first attempt on, nothing gets through for so long: attempts fail, streams are cut. */
  readonly outage: number;
}

/** Nothing goes wrong. */
export const NO_CHAOS: Chaos = {
  ...{ duplicates: 0, reorder: 0, delay: [0, 0], wrongSignature: 0, burst: 1, outage: 0 },
};

/** What is to go wrong with one delivery. */
export interface DeliveryFate {
  /** Milliseconds before its first attempt. */
  readonly delay: number;
  readonly heldBack: boolean;
  /** The same for a second copy of it, if there is to be one. */
  readonly copyDelay: number | undefined;
}

/** The fate of a delivery: the same for the same seed and number, whatever else happens. */
export function fateOf(seed: number, number: number, { duplicates, reorder, delay }: Chaos): DeliveryFate {
  const random = drawAt(seed, number, 0);
  const [low, high] = delay;
  const drawDelay = () => Math.round(low + random() * (high - low));
  const first = drawDelay();
  const heldBack = random() < reorder;
  return { delay: first, heldBack, copyDelay: random() < duplicates ? drawDelay() : undefined };
}

/** Whether an attempt, counted from 1, is to carry a wrong signature. */
export function isMissigned(
  seed: number,
  number: number,
  attempt: number,
  { wrongSignature }: Chaos,
): boolean {
  return drawAt(seed, number, attempt)() < wrongSignature;
}
