import { randomInt } from "node:crypto";

/** The seed of what a test leaves to chance: HOOKPORTER_STRANGERS_SEED repeats a run, as far as the machine lets it. */
export function newSeed(): number {
  return Number(process.env.HOOKPORTER_STRANGERS_SEED ?? randomInt(2 ** 31));
}
