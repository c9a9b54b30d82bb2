import { processorTime } from "./processor-time.ts";

/** Characters of a text, and of half of one that is twice as long. */
const SIZE = 64 * 1024;
/** A quadratic work takes 4 times as long for twice the length, a linear one twice as long. */
export const MOST = 3;

export const repeated = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length));

/**
 * How much longer a work takes for 128 kB than for 64 kB; 0 if it takes no time.
 *
 * @param least - milliseconds that count as no time: quadratic work takes far longer for 128 kB
 * @param tooLong - milliseconds that are too many for 128 kB, however they grow
 */
async function growth<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  least: number,
  tooLong: number,
): Promise<number> {
  const timeOf = async (input: Input) => {
    const before = processorTime();
    await work(input);
    return processorTime() - before;
  };
  const longer = await timeOf(make(2 * SIZE));
  if (longer > tooLong) return Number.POSITIVE_INFINITY;
  return longer < MOST * least ? 0 : longer / Math.max(least, await timeOf(make(SIZE)));
}

/** The inputs for which a work takes more than twice as long if they are twice as long. */
export async function slowOf<Input>(
  inputs: readonly (readonly [string, (size: number) => Input])[],
  work: (input: Input) => unknown,
  least: number,
  tooLong = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const slow = [];
  for (const [name, make] of inputs) {
    // Once more: a part of it may have been the collection of garbage.
    const first = await growth(make, work, least, tooLong);
    const ratio = first < MOST ? first : Math.min(first, await growth(make, work, least, tooLong));
    if (ratio >= MOST) slow.push(`${name}: ${ratio.toFixed(1)}`);
  }
  return slow;
}
