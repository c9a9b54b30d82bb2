import type { EntryFilter } from "./entry-filter.ts";
import type { EntryState } from "./entry-state.ts";
import type { Inbox, Retried } from "./inbox.ts";

/**
 * What a person can do with entries: `retry` makes waiting and failing ones due now, and runs ended
 * ones again; `drop` lets entries go.
 */
export type Change = "retry" | "drop";

/**
 * The states in which an entry can be changed in each way. A dropped entry cannot be dropped again.
 */
export const CHANGEABLE: Readonly<Record<Change, readonly EntryState[]>> = {
  retry: ["waiting", "failing", "dead", "received"],
  drop: ["waiting", "failing", "running", "dead", "received"],
};

export interface Changed extends Retried {
  readonly dropped: number;
}

export async function changeEntries(
  inbox: Inbox,
  change: Change,
  filter: EntryFilter,
  now: number,
) {
  const changed: Changed = { due: 0, ended: 0, dropped: 0 };
  if (change === "drop") return { ...changed, dropped: await inbox.drop(filter, now) };
  return { ...changed, ...(await inbox.retry(filter, now)) };
}

export function changedInAll({ due, ended, dropped }: Changed): number {
  return due + ended + dropped;
}
