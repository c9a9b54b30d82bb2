import { ThrottledCache } from "../base/throttled-cache.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Inbox } from "../inbox/inbox.ts";

/** What an inbox says about itself. */
export type InboxFigures = Awaited<ReturnType<typeof readFigures>>;

/** The least milliseconds between two readings. */
export const MIN_PAUSE = 1000;
const SHARE = 1 / 100; // reading may take this share of the time at most
/**
 * The longest that a scrape waits for a reading, in milliseconds. After that it gets the one
 * before.
 */
export const MAX_WAIT = 2000;

/**
 * Returns the latest figures, or `undefined` if the inbox cannot be read. They may be some seconds
 * old.
 */
export type ReadFigures = () => Promise<InboxFigures | undefined>;

/**
 * Reads an inbox for those who look often, at a bounded cost: counting a large inbox takes a while.
 */
export function figureReader(inbox: Inbox, minPause = MIN_PAUSE): ReadFigures {
  const readings = new ThrottledCache<InboxFigures | undefined>(SHARE, minPause);
  let latest: InboxFigures | undefined;
  const read = async () => {
    latest = await readFigures(inbox).catch(() => undefined);
    return latest;
  };
  return () => withTimeout(readings.read(read), MAX_WAIT, () => latest);
}

async function readFigures(inbox: Inbox) {
  const [counts, waiting, dueAt, senders, pauses, size] = await Promise.all([
    inbox.counts(),
    inbox.waiting(),
    inbox.nextRunAt(),
    inbox.senders().catch(() => []),
    inbox.pauses().catch(() => undefined),
    inbox.size(),
  ]);
  return { counts, waiting, dueAt, senders, paused: pauses?.paused ?? [], size };
}

/** How long the oldest due entry has waited, in milliseconds; 0 if none is due. */
export function oldestDueAge({ dueAt }: Pick<InboxFigures, "dueAt">, now: number): number {
  return dueAt === undefined ? 0 : Math.max(0, now - dueAt);
}
