import type { HandlerFailure } from "../base/failures/failure.ts";

/** How one run of one handler ended. */
export interface AttemptRecord {
  /** Which attempt of the entry this was, from 1. */
  readonly attempt: number;
  /**
   * The handler's name. An entry that ends without a run (no handler, invalid data) has no record.
   */
  readonly handler: string;
  readonly startedAt: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly outcome: "ok" | "error" | "timeout";
  /**
   * The error's message, and those of its causes: `fetch failed ← connect ECONNREFUSED …`. At most
   * 2 KiB of text.
   */
  readonly error: string | null;
  /** More about the error; `null` if the run succeeded. */
  readonly failure: HandlerFailure | null;
  /**
   * What the handler noted, such as its target's answer, even if it failed. At most 2 KiB of text.
   */
  readonly note: string | null;
}
