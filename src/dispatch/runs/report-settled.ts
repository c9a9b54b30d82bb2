import type { Logger } from "../../base/logger.ts";
import { describeError } from "../../errors.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import type { EntryLetter } from "../handler.ts";

/** The listeners for entries that were run. */
export interface SettlementListeners {
  readonly onAttempts: (entry: ClaimedEntry, settlement: Settlement) => void;
  /** Called once when an entry becomes a dead letter. */
  readonly onDead: (letter: EntryLetter) => void;
  readonly log: Logger;
}

/** Reports a settlement once it is stored. If a listener throws, that is logged. */
export function reportSettled(
  entry: ClaimedEntry,
  settlement: Settlement,
  listeners: SettlementListeners,
): void {
  const { onAttempts, onDead } = listeners;
  const { seq, kind, key, delivery } = entry;
  const { state, reason, problems = [], records, uncount = false } = settlement;
  const call = (listener: () => void) => {
    try {
      listener();
    } catch (thrown) {
      listeners.log.error({ seq, error: describeError(thrown) }, "a listener failed");
    }
  };
  // An entry that waits for a process with handlers, or for its turn at a target, was not attempted.
  const onlyWaits =
    state === "pending" && records.length === 0 && (uncount || reason !== null || entry.waits?.length);
  if (!onlyWaits) call(() => onAttempts(entry, settlement));
  if (state !== "dead") return;
  const error = entry.unreadable ?? lastError(records);
  call(() => onDead({ seq, kind, eventId: key.eventId, reason: reason ?? "", problems, error, delivery }));
}

function lastError(records: readonly AttemptRecord[]): string | null {
  return records.findLast(({ error }) => error !== null)?.error ?? null;
}
