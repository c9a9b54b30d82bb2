import type { Settlement } from "./settlement.ts";

/** What is stored of an entry that has handlers left: it stays leased. */
export interface Progress extends Pick<Settlement, "seq" | "lease" | "finishedHandlers" | "records"> {
  readonly state: "running";
}

/**
 * How a handler's transaction is to end: with a result that is stored last in it, or with nothing. `abandon` is for a
 * handler that may still be running: nothing that it does later may have an effect.
 */
export type InsideEnd = Settlement | Progress | "roll_back" | "abandon";

/**
 * How a handler's transaction ended. `refused`: the lease was lost, so it was rolled back. `unknown`: the connection was
 * lost while it was committed, and the store did not say in time which it was.
 */
export type InsideResult = "committed" | "refused" | "rolled_back" | "unknown";

/** The terms of a handler's transaction. */
export interface InsideTerms {
  /** Milliseconds that the handler may take. */
  readonly timeout: number;
  /** The time of the result, in milliseconds since 1970. */
  readonly now: () => number;
  /** Whether the entry is still leased here: otherwise an unknown result is no longer looked up. */
  readonly isLeased: () => boolean;
}
