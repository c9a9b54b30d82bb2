import type { DataProblem } from "../event/data-problems.ts";
import type { DedupKey } from "../event/identity.ts";
import type { EntryState } from "./entry-state.ts";
import type { TargetWait } from "./target-wait.ts";

/** An entry without its delivery's headers and body. All times are milliseconds since 1970. */
export interface Entry {
  /**
   * The entry's short name: unique in the inbox, never used again, and in order of arrival among
   * entries of one order key.
   */
  readonly seq: number;
  readonly key: DedupKey;
  readonly kind: string | null;
  readonly eventTimestamp: number | null;
  readonly state: EntryState;
  readonly reason: string | null;
  /**
   * Of a dead letter: which fields did not fit when it was last checked, and how. Otherwise empty.
   */
  readonly problems: readonly DataProblem[];
  readonly orderKey: string | null;
  readonly receivedAt: number;
  /** When it may be claimed next; for a running entry, when its lease ends. */
  readonly runAt: number;
  /** Counted when claimed, so an entry that kills the process still runs out of attempts. */
  readonly attempts: number;
  /** How many duplicates were received. */
  readonly duplicates: number;
  readonly lastSeenAt: number;
  /** When it was handled, or became dead or received; `null` until then. */
  readonly settledAt: number | null;
  /** Names of the handlers that succeeded: a retry does not run them again. */
  readonly finishedHandlers: readonly string[];
  /** The targets that it waits for, or was given up on for. */
  readonly waits: readonly TargetWait[];
  /** SHA-256 of the body, hex. */
  readonly bodyHash: string;
  /** Bytes of the body. */
  readonly bodyLength: number;
}
