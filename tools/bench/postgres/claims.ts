import pg from "pg";
import { postgresInbox } from "../../../src/entries/index.ts";
import type { NewEntry } from "../../../src/inbox/append.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { median } from "../numbers.ts";
import { storeBehind } from "../store-behind.ts";
import { append, entrySource, runAll } from "./entries.ts";

/** Claims that are timed, and the entries of each. */
const CLAIMS = 50;
const LIMIT = 10;

/** Entries that are kept before they are run. */
const PART = 2000;

/** Milliseconds of a claim, p50, in inboxes that are hard to claim from; and the log per entry. */
export interface Claims {
  readonly pinned: { readonly entries: number; readonly ms: number };
  readonly behind: { readonly entries: number; readonly ms: number };
  /** After a vacuum while nothing waited: the planner then believes that there are no entries. */
  readonly vacuumed: { readonly entries: number; readonly ms: number };
  /** Kilobytes of write-ahead log for an entry that was kept, claimed and settled. */
  readonly walKb: number;
}

/**
 * How long a claim takes beside dead rows that a forgotten transaction pins, and behind entries of
 * one order key.
 */
export async function measureClaims(
  url: string,
  sizes: { pinned: number; behind: number },
): Promise<Claims> {
  const admin = new pg.Pool({ connectionString: url, max: 2 });
  const inSchema = async <Result>(
    schema: string,
    work: (inbox: Inbox) => Promise<Result>,
  ): Promise<Result> => {
    const inbox = storeBehind(postgresInbox(url, { schema }));
    await inbox.open();
    try {
      return await work(inbox);
    } finally {
      await inbox.close();
      await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    }
  };
  const lsn = async () => {
    const { rows } = await admin.query("SELECT pg_current_wal_lsn() - '0/0' AS bytes");
    return Number(rows[0].bytes);
  };
  try {
    const walKb = await inSchema("logged", async (inbox) => {
      const next = entrySource();
      await keepAndRun(inbox, next, PART); // the first rows of a table write whole pages to the log
      const before = await lsn();
      await keepAndRun(inbox, next, sizes.behind);
      return ((await lsn()) - before) / sizes.behind / 1024;
    });
    const pinned = await inSchema("pinned", async (inbox) => {
      const forgotten = await admin.connect();
      await forgotten.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await forgotten.query("SELECT txid_current()");
      const next = entrySource();
      await keepAndRun(inbox, next, sizes.pinned);
      await append(inbox, next, CLAIMS * LIMIT);
      const ms = await claimTime(inbox);
      await forgotten.query("ROLLBACK");
      forgotten.release();
      return ms;
    });
    const behind = await inSchema("behind", async (inbox) => {
      await append(inbox, entrySource({ orderKey: "one" }), sizes.behind);
      const [first] = await inbox.claim({
        now: inbox.now ?? Date.now(),
        limit: 1,
        leaseTime: 3_600_000,
      });
      if (first === undefined)
        throw new Error("expected the first entry of the order key to be claimed");
      await append(inbox, entrySource({ orderKey: null }, Date.now() - 1_800_000), CLAIMS * LIMIT);
      return claimTime(inbox);
    });
    const vacuumed = await inSchema("vacuumed", async (inbox) => {
      const next = entrySource();
      await keepAndRun(inbox, next, sizes.behind);
      await admin.query("VACUUM (TRUNCATE false) vacuumed.turn");
      await append(inbox, next, sizes.behind);
      return claimTime(inbox);
    });
    return {
      vacuumed: { entries: sizes.behind, ms: vacuumed },
      pinned: { entries: sizes.pinned, ms: pinned },
      behind: { entries: sizes.behind, ms: behind },
      walKb,
    };
  } finally {
    await admin.end();
  }
}

/** Keeps a number of entries, and runs them, in parts. */
async function keepAndRun(inbox: Inbox, next: () => NewEntry, many: number): Promise<void> {
  for (let left = many; left > 0; left -= PART) {
    await append(inbox, next, Math.min(PART, left));
    await runAll(inbox);
  }
}

async function claimTime(inbox: Inbox): Promise<number> {
  const times: number[] = [];
  for (let claim = 0; claim < CLAIMS; claim++) {
    const now = inbox.now ?? Date.now();
    const start = performance.now();
    // With its sources, as a receiver claims.
    const claimed = await inbox.claim({
      now,
      limit: LIMIT,
      leaseTime: 3_600_000,
      sources: ["service"],
    });
    times.push(performance.now() - start);
    if (claimed.length !== LIMIT)
      throw new Error(`expected ${LIMIT} entries to be due, got ${claimed.length}`);
  }
  return median(times);
}
