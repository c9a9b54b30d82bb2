/** What is known about an error of a handler. */
export interface HandlerFailure {
  /** The error's name, such as `TypeError`; for a value that is not an error, its type. */
  readonly name: string;
  /** The first line of the user's own code in the stack: `file:line:column`, if there is one. */
  readonly at: string | null;
  /** The stack, with those of the causes. At most 8 KiB of text. */
  readonly stack: string | null;
}

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
