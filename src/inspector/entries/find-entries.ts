import { setImmediate as turn } from "node:timers/promises";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import type { Inbox } from "../../inbox/inbox.ts";

/**
 * The number of entries searched at a time: more while it takes little time, so that deliveries are
 * never delayed for long.
 */
const WINDOW = { first: 250, least: 20, most: 4000 };
/**
 * Milliseconds that a window should take, and those after which the caller has to continue with
 * `next`.
 */
const WINDOW_TIME = 20;
const SEARCH_TIME = 1000;

/**
 * At most `limit` of the newest matching entries below `before`, newest first; where to continue,
 * `null` at the end: a text search may stop early; and the number of the newest entry that was
 * looked at, 0 if there is none.
 */
export async function findEntries(
  inbox: Inbox,
  filter: EntryFilter,
  { before, limit, downTo = 0 }: { before: number | undefined; limit: number; downTo?: number },
) {
  if (filter.text === undefined) {
    const below = before === undefined ? {} : { before };
    const entries = (await inbox.list({ ...filter, ...below, limit })).toReversed();
    const next = entries.length < limit ? null : (entries.at(-1)?.seq ?? null);
    return { entries, next, newest: entries[0]?.seq ?? 0 };
  }
  const newest =
    before === undefined ? ((await inbox.list({ limit: 1 }))[0]?.seq ?? 0) : before - 1;
  let top = newest + 1;
  const entries: Entry[] = [];
  const start = performance.now();
  let size = WINDOW.first;
  let last = { size: 0, took: 0 };
  while (top > downTo + 1 && entries.length < limit && performance.now() - start < SEARCH_TIME) {
    const after = Math.max(downTo, top - 1 - size);
    const wanted = limit - entries.length;
    const windowStart = performance.now();
    const found = await inbox.list({ ...filter, before: top, after, limit: wanted });
    const current = { size, took: performance.now() - windowStart };
    size = nextSize(last, current);
    last = current;
    entries.push(...found.toReversed());
    top = found.length === wanted ? (entries.at(-1)?.seq ?? 1) : after + 1;
    await turn();
  }
  return { entries, next: top <= downTo + 1 ? null : top, newest };
}

/**
 * The bodies' sizes are not known, so the time that they took decides how many are read next. Only
 * the difference between two windows counts: a query may take long however few it reads, as over a
 * network.
 */
function nextSize(last: { size: number; took: number }, { size, took }: typeof last): number {
  const more = size === last.size ? 0 : (took - last.took) / (size - last.size);
  const each = size === last.size ? took / size : Math.max(0, more);
  const wanted = Math.min(size * 2, Math.max(size / 2, WINDOW_TIME / each));
  return Math.round(Math.min(WINDOW.most, Math.max(WINDOW.least, wanted)));
}
