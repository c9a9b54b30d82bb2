import { setTimeout } from "node:timers/promises";

/**
 * Runs a step of long work, then leaves the file to other programs for longer than it took: each
 * looks only now and then whether it is unlocked, and would wait in vain between steps that follow
 * at once.
 */
export async function inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await step();
  await setTimeout(10 + 3 * (performance.now() - start));
  return result;
}
