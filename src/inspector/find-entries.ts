import { setImmediate as turn } from "node:timers/promises";
import type { Entry } from "../inbox/entry.ts";
import type { EntryFilter } from "../inbox/entry-filter.ts";
import type { Inbox } from "../inbox/inbox.ts";

/** The number of bodies searched at a time, so that deliveries are not delayed. */
const WINDOW = 500;

/** The maximum number of windows per request; after that the caller continues with `next`. */
const MAX_WINDOWS = 40;

/** Some entries, newest first. */
export interface Found {
  readonly entries: readonly Entry[];
  /** Where to continue, below this number; `null` at the end. */
  readonly next: number | null;
}

/** At most `limit` of the newest matching entries below `before`. A text search may return fewer, and a `next`. */
export async function findEntries(
  inbox: Inbox,
  filter: EntryFilter,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<Found> {
  if (filter.text === undefined) {
    const below = before === undefined ? {} : { before };
    const entries = (await inbox.list({ ...filter, ...below, limit })).toReversed();
    return { entries, next: entries.length < limit ? null : (entries.at(-1)?.seq ?? null) };
  }
  let top = before ?? ((await inbox.list({ limit: 1 }))[0]?.seq ?? 0) + 1;
  const entries: Entry[] = [];
  for (let window = 0; window < MAX_WINDOWS && top > 1 && entries.length < limit; window++) {
    const after = Math.max(0, top - 1 - WINDOW);
    const wanted = limit - entries.length;
    const found = await inbox.list({ ...filter, before: top, after, limit: wanted });
    entries.push(...found.toReversed());
    top = found.length === wanted ? (entries.at(-1)?.seq ?? 1) : after + 1;
    await turn();
  }
  return { entries, next: top <= 1 ? null : top };
}
