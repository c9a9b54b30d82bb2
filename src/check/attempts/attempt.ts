import type { ProbeAnswer } from "../answer.ts";

/** A delivery that is accepted only by a receiver with one particular fault. */
export interface Attempt {
  /** The fault and its fix, in whole sentences. */
  readonly cause: string;
  readonly send: () => Promise<ProbeAnswer>;
  /** Sends a valid delivery that a receiver with this fault refuses. */
  readonly sendValid: () => Promise<ProbeAnswer>;
}
