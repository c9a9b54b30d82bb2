import type { EntryFilter } from "./entry-filter.ts";
import type { StoredState } from "./entry-state.ts";
import type { Inbox } from "./inbox.ts";

/**
 * What a person can do with entries: `retry` makes pending ones due now, and runs ended ones again; `drop` lets entries go.
 */
export type Change = "retry" | "drop";

/** The states in which an entry can be changed in each way. A dropped entry cannot be dropped again. */
export const CHANGEABLE: Readonly<Record<Change, readonly StoredState[]>> = {
  retry: ["pending", "dead", "unhandled"],
  drop: ["pending", "running", "dead", "unhandled"],
};

export interface Changed {
  /** Pending ones that are due now. */
  readonly pending: number;
  /** Ended ones that run again. */
  readonly ended: number;
  readonly dropped: number;
}

export async function changeEntries(inbox: Inbox, change: Change, filter: EntryFilter, now: number) {
  const changed: Changed = { pending: 0, ended: 0, dropped: 0 };
  if (change === "drop") return { ...changed, dropped: await inbox.drop(filter, now) };
  // Pending ones first: those that are retried become pending.
  const pending = await inbox.reschedule(filter, now);
  return { ...changed, pending, ended: await inbox.retry(filter, now) };
}

export function changedInAll({ pending, ended, dropped }: Changed): number {
  return pending + ended + dropped;
}
