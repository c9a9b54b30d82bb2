import pg from "pg";
import { postgresInbox } from "../../../src/entries/index.ts";
import { storeBehind } from "../store-behind.ts";
import { append, entrySource, runAll } from "./entries.ts";
import { perSecond } from "./keep.ts";

const DAY = 86_400_000;
/** Entries of a step, as a receiver prunes them. */
const STEP = 200;

/** Keeping beside pruning, and how many entries are pruned meanwhile. */
export interface Pruning {
  readonly entries: number;
  /** Entries that are pruned per second, beside as much keeping as there can be. */
  readonly perSecond: number;
  /** Entries that are kept per second beside it, of those without. */
  readonly ratio: number;
}

/** Prunes old entries while others are kept. */
export async function measurePruning(
  url: string,
  { entries, seconds }: { entries: number; seconds: number },
): Promise<Pruning> {
  const schema = "pruned";
  const inbox = storeBehind(postgresInbox(url, { schema }));
  await inbox.open();
  const old = Date.now() - 40 * DAY;
  const until = Date.now() - 30 * DAY;
  const request = { states: ["handled" as const], receivedUntil: until, datedUntil: until };
  try {
    await append(inbox, entrySource({}, old), entries);
    await runAll(inbox);
    const next = entrySource();
    const keep = () => inbox.append(next());
    await perSecond(keep, seconds); // the first ones warm up
    const alone = await perSecond(keep, seconds);
    let isOver = false;
    let pruned = 0;
    const pruning = (async () => {
      const start = performance.now();
      let cursor: string | undefined;
      do {
        const step = await inbox.prune(request, { cursor, limit: STEP });
        pruned += step.changed;
        cursor = step.next;
      } while (cursor !== undefined && !isOver);
      return pruned / ((performance.now() - start) / 1000);
    })();
    const beside = await perSecond(keep, seconds);
    isOver = true;
    return { entries, perSecond: await pruning, ratio: beside / alone };
  } finally {
    await inbox.close();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
}
