import { NewestMap } from "../../base/newest-map.ts";
import { Remembered } from "../../base/remembered.ts";
import {
  type CountFilter,
  countStates,
  countsByState,
  type StateCounts,
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
export class RowCounter {
  readonly #inbox: Inbox;
  readonly #refusals: Refusals;
  readonly #known = new NewestMap<string, Remembered<StateCounts>>(MAX_REMEMBERED);

  constructor(inbox: Inbox, refusals: Refusals) {
    this.#inbox = inbox;
    this.#refusals = refusals;
  }

  /** What is in the inbox, and how much of it matches the filter, except its states and its text. */
  async count({ entries, takesInAnyState }: RowFilter): Promise<RowCounts> {
    const { kinds, since, until } = entries;
    const all = await this.#states({});
    const total = totalOf(all);
    const refused = this.#refusals.list(takesInAnyState).reduce((sum, { count }) => sum + count, 0);
    if (entries.seqs !== undefined) {
      const found = await this.#inbox.list({ seqs: entries.seqs });
      return { total, states: countStates(found), refused };
    }
    if (kinds === undefined && since === undefined && until === undefined)
      return { total, states: all, refused };
    if (total > MAX_COUNTED) return { total, states: null, refused };
    const filter = {
      ...(kinds !== undefined && { kinds }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    };
    return { total, states: await this.#states(filter), refused };
  }

  #states(filter: CountFilter): Promise<StateCounts> {
    const key = JSON.stringify(filter);
    const known = this.#known.get(key) ?? new Remembered<StateCounts>(SHARE);
    this.#known.set(key, known);
    return known.read(() => this.#inbox.counts(filter).then(countsByState));
  }
}
