import { type Cause, isAboutJson } from "./causes.ts";

// In which order bodies are tried, and how much work that may take. Work is counted in hashed bytes
// and not in time, so that the result is the same on every machine.

/** The maximum work of a diagnosis by default: about a second. */
export const WORK = 7e8;

/** The work of a digest besides its bytes. */
export const DIGEST_WORK = 4000;

/** The work to make one byte of a variant. Printing JSON again takes longer than other changes. */
export const MAKING_WORK = { received: 0, changed: 4, printed: 25 } as const;

/** What it takes to make a variant. */
export type Cost = keyof typeof MAKING_WORK;

/**
 * The maximum work to read one byte of a body. If reading alone would use up the work, only the
 * body itself is tried, and with other ends.
 */
export const READING_WORK = 350;

/** The work to read one token of JSON. */
export const TOKEN_WORK = 300;

/** JSON with more tokens than this is not printed in every way. */
export const MANY_TOKENS = 40_000;

/** A body with more causes than this is not tried with mistakes in the secret besides. */
export const MOST_WITH_SECRET = 2;

interface Ranked {
  readonly causes: readonly Cause[];
  readonly cost: Cost;
}

/**
 * Sorts variants: those with the fewest causes first, and among them what is cheap. If the work
 * does not suffice for all of them, what is cheap comes first, then libraries, most common first.
 */
export function inOrder<Variant extends Ranked>(
  variants: readonly Variant[],
  isComplete: boolean,
): readonly Variant[] {
  if (!isComplete) return variants.toSorted((a, b) => rankOf(a) - rankOf(b));
  return variants.toSorted(
    (a, b) => a.causes.length - b.causes.length || MAKING_WORK[a.cost] - MAKING_WORK[b.cost],
  );
}

function rankOf({ causes, cost }: Ranked): number {
  if (cost !== "printed" && causes.length === 1) return 0;
  if (causes.some(({ code }) => code === "newline_at_end")) return 3;
  return causes.some(({ code }) => isAboutJson(code)) ? 1 : 2;
}

/** The work that is left of a search. */
export class Budget {
  #left: number;
  /** Whether nothing was left out. */
  isComplete = true;

  constructor(work: number) {
    this.#left = work;
  }

  /** Whether there is work left; if not, something is left out from now on. */
  hasWork(): boolean {
    if (this.#left < 0) this.isComplete = false;
    return this.#left >= 0;
  }

  /** Does something that may spend this much at most. */
  within(most: number, run: () => void): void {
    const kept = Math.max(0, this.#left - most);
    this.#left -= kept;
    run();
    this.#left += kept;
  }

  spend(work: number): void {
    this.#left -= work;
  }
}
