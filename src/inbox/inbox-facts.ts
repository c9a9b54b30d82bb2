import type { Pauses } from "./pause.ts";
import type { Runner } from "./runner.ts";
import type { SenderRecord } from "./senders.ts";

/** What an operator wants to know of an inbox, whatever its store. */
export interface InboxFacts {
  readonly bytes: number;
  /** The registered processes that live. */
  readonly processes: readonly Runner[];
  /** What receivers noted of signatures. */
  readonly senders: readonly SenderRecord[];
  readonly pauses: Pauses;
  /** Pending and running entries. */
  readonly waiting: number;
  /** Those of them whose last attempt failed. */
  readonly failing: number;
  readonly due: number;
  readonly oldestDue: number | null;
  /** Dead letters, without those that were dropped on purpose. */
  readonly dead: number;
}
