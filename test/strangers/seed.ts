import { randomInt } from "node:crypto";

/** The random seed. HOOKPORTER_STRANGERS_SEED repeats a run, apart from the machine's timing. */
export function newSeed(): number {
  return Number(process.env.HOOKPORTER_STRANGERS_SEED ?? randomInt(2 ** 31));
}
