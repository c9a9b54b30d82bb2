import pg from "pg";
import { postgresInbox } from "../../../src/entries/index.ts";
import { median } from "../numbers.ts";
import { storeBehind } from "../store-behind.ts";
import { AT_ONCE, append, entrySource, sideBySide } from "./entries.ts";

/** Connections of the receiver that people write: an insert per delivery, through a pool. */
const POOL = 8;
const INSERT = `INSERT INTO plain (id, received_at, kind, headers, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`;

/** Deliveries kept per second: in batches by the inbox, and by an insert each. */
export interface Keeping {
  readonly entries: number;
  readonly batched: number;
  readonly each: number;
  readonly ratio: number;
}

/**
 * Keeps entries in an inbox and in a plain table with a unique id, in turn; both hold the same
 * number before.
 */
export async function measureKeeping(
  url: string,
  { entries, rounds, seconds }: { entries: number; rounds: number; seconds: number },
): Promise<Keeping> {
  const pool = new pg.Pool({ connectionString: url, max: POOL });
  const inbox = storeBehind(postgresInbox(url, { schema: `keep_${entries}` }));
  const next = entrySource();
  const insert = async () => {
    const { key, kind, delivery } = next();
    const { headers, body, receivedAt } = delivery;
    await pool.query(INSERT, [
      key.eventId,
      new Date(receivedAt),
      kind,
      JSON.stringify(headers),
      body,
    ]);
  };
  await inbox.open();
  try {
    await pool.query(
      "CREATE TABLE plain (id text PRIMARY KEY, received_at timestamptz, kind text, headers jsonb, body bytea)",
    );
    await append(inbox, next, entries);
    await pool.query(
      `INSERT INTO plain SELECT 'evt_1_' || md5(n::text), now(), 'payment.received', '{}', $1 FROM generate_series(1, $2::int) n`,
      [next().delivery.body, entries],
    );
    const measure = { batched: [] as number[], each: [] as number[] };
    const ways = { batched: () => inbox.append(next()), each: insert };
    for (let round = -1; round < rounds; round++) {
      for (const way of ["batched", "each"] as const) {
        const many = await perSecond(ways[way], seconds);
        if (round >= 0) measure[way].push(many); // the first one warms up
      }
    }
    const ratios = measure.batched.map((many, round) => many / (measure.each[round] ?? Number.NaN));
    return {
      entries,
      batched: median(measure.batched),
      each: median(measure.each),
      ratio: median(ratios),
    };
  } finally {
    await pool.query(`DROP TABLE IF EXISTS plain; DROP SCHEMA keep_${entries} CASCADE`);
    await pool.end();
    await inbox.close();
  }
}

/** How often something can be done in a second, by as many as wait for a receiver under load. */
export async function perSecond(
  work: () => Promise<unknown>,
  seconds: number,
  many = AT_ONCE,
): Promise<number> {
  const start = performance.now();
  let times = 0;
  await sideBySide(many, async () => {
    while (performance.now() - start < seconds * 1000) {
      await work();
      times++;
    }
  });
  return (times / (performance.now() - start)) * 1000;
}
