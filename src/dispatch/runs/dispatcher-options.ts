import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Role } from "../../inbox/runner.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import type { AttemptTracing } from "../plan/attempt-tracing.ts";
import type { EntryLetter } from "../plan/handler.ts";
import type { TargetOptions } from "../plan/target.ts";
import type { RunOptions } from "./run-options.ts";

export interface DispatcherOptions extends RunOptions {
  /** Called with each entry that was attempted, once its settlement is stored. */
  readonly onAttempts: (entry: ClaimedEntry, settlement: Settlement) => void;
  readonly onDead: (letter: EntryLetter) => void;
  readonly inbox: Inbox;
  /** The id with which this process is registered with the inbox. */
  readonly runner: string;
  readonly sources: readonly string[];
  readonly concurrency: number;
  /** Milliseconds of a lease; it is renewed after a third of that. */
  readonly leaseTime: number;
  /** Whether a dead letter holds back the later entries of its order key. */
  readonly deadBlocks: boolean;
  /**
   * Milliseconds between claims that nothing else triggers, for entries that another process
   * retried.
   */
  readonly poll: number;
  /** Whether due entries are claimed without being asked to. Default: they are. */
  readonly role?: Role;
  /** The longest that an entry waits for a handler, in milliseconds. Default 0. */
  readonly unhandledAfter?: number;
  /**
   * The kinds of a source that have no handler here, and are left to other processes that have one,
   * as the inbox stores them. Looks at the other processes again from time to time. Default none.
   */
  readonly leftKinds?: (source: string) => Promise<readonly string[]>;
  /** Follows runs from inside. Default: nothing does. */
  readonly tracing?: AttemptTracing | undefined;
  readonly knownTargets?: () => readonly TargetOptions[];
}
