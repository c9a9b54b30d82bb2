import pg from "pg";
import { type PeerEvent, peer } from "./peer.ts";

/** The same table in PostgreSQL, through a pool. */
export const expressPostgres = peer(async (inbox, handle) => {
  const pool = new pg.Pool({ connectionString: inbox });
  await pool.query(
    "CREATE TABLE IF NOT EXISTS event (id text PRIMARY KEY, data jsonb NOT NULL, done boolean NOT NULL DEFAULT false)",
  );
  const run = async (event: PeerEvent) => {
    await handle(event);
    await pool.query("UPDATE event SET done = true WHERE id = $1", [event.id]);
  };
  const { rows } = await pool.query<PeerEvent>("SELECT id, data FROM event WHERE NOT done");
  for (const event of rows) void run(event);
  const insert = "INSERT INTO event (id, data) VALUES ($1, $2) ON CONFLICT DO NOTHING";
  return {
    keep: async (event) => {
      const { rowCount } = await pool.query(insert, [event.id, event.data]);
      if (rowCount === 1) setImmediate(run, event);
    },
    close: () => pool.end(),
  };
});
