import pg from "pg";
import { postgresInbox } from "../../../src/entries/index.ts";
import { storeBehind } from "../store-behind.ts";
import { append, entrySource, runAll } from "./entries.ts";

const DAY = 86_400_000;
const STEP = 200;
/** Entries to keep, which are too many to move when their day is dropped. */
const OTHERS = 6000;

/** Milliseconds to prune a day's entries: dropped as a whole, and deleted row by row. */
export interface Days {
  readonly entries: number;
  readonly dropped: number;
  readonly deleted: number;
  readonly ratio: number;
}

/** Prunes two days with as many entries to delete. The second has too many others to be dropped. */
export async function measureDays(url: string, entries: number): Promise<Days> {
  const schema = "days";
  const inbox = storeBehind(postgresInbox(url, { schema }));
  await inbox.open();
  const today = Math.floor(Date.now() / DAY) * DAY;
  const keep = async (day: number, many: number, source: string) => {
    const next = entrySource({}, day);
    await append(
      inbox,
      () => {
        const entry = next();
        return { ...entry, key: { ...entry.key, source } };
      },
      many,
    );
    await runAll(inbox);
  };
  const prune = async (until: number): Promise<number> => {
    const request = {
      states: ["handled" as const],
      receivedUntil: until,
      datedUntil: until,
      sources: ["old"],
    };
    const start = performance.now();
    let pruned = 0;
    let cursor: string | undefined;
    do {
      const { changed, next } = await inbox.prune(request, { cursor, limit: STEP });
      pruned += changed;
      cursor = next;
    } while (cursor !== undefined);
    const ms = performance.now() - start;
    if (pruned < entries - 1)
      throw new Error(`expected ${entries} entries to be pruned, got ${pruned}`);
    return ms;
  };
  try {
    await keep(today, entries, "old");
    await keep(today + DAY, entries, "old");
    await keep(today + DAY, OTHERS, "kept");
    const dropped = await prune(today + DAY - 1);
    const deleted = await prune(today + 2 * DAY - 1);
    return { entries, dropped, deleted, ratio: deleted / dropped };
  } finally {
    await inbox.close();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
}
