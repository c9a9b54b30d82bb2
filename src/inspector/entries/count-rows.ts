import { NewestMap } from "../../base/newest-map.ts";
import { ThrottledCache } from "../../base/throttled-cache.ts";
import {
  type CountFilter,
  countStates,
  type StateCounts,
  stateCounts,
  totalOf,
} from "../../inbox/counts.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { RowCounts } from "../api.ts";
import type { Refusals } from "../live/refusals.ts";
import type { RowFilter } from "./filter.ts";

/** Counting may take this share of the time at most, since it delays deliveries. */
const SHARE = 1 / 50;
/** In an inbox with more entries, only all of them are counted: other conditions read each one. */
const MAX_COUNTED = 200_000;
/** Remembered counts, the least recently counted of which is dropped first. */
const MAX_REMEMBERED = 20;

/** Counts for the filter's chips, never more often than it costs little. */
export function rowCounter(inbox: Inbox, refusals: Refusals) {
  const remembered = new NewestMap<string, ThrottledCache<StateCounts>>(MAX_REMEMBERED);
  const statesOf = (filter: CountFilter) => {
    const key = JSON.stringify(filter);
    const known = remembered.get(key) ?? new ThrottledCache<StateCounts>(SHARE);
    remembered.set(key, known);
    return known.read(() => inbox.counts(filter).then(stateCounts));
  };
  return async ({
    entries,
    matchesRefusalInAnyState: takesInAnyState,
  }: RowFilter): Promise<RowCounts> => {
    // What is left is what the inbox can count by: kinds and times.
    const { states: _, text: __, alternatives: ___, seq: ____, seqs, ...filter } = entries;
    const all = await statesOf({});
    const total = totalOf(all);
    const refused = refusals.list(takesInAnyState).reduce((sum, { count }) => sum + count, 0);
    if (seqs !== undefined) {
      const found = await inbox.list({ seqs, ...filter });
      return { total, states: countStates(found), refused };
    }
    if (Object.keys(filter).length === 0) return { total, states: all, refused };
    if (total > MAX_COUNTED) return { total, states: null, refused };
    return { total, states: await statesOf(filter), refused };
  };
}
