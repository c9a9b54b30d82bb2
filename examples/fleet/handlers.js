// What runs for each event, in the workers. It may run again for the same event, so it books each
// event id once.
import process from "node:process";
import { defineHandlers } from "hookporter";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 5 });
const BOOK = "INSERT INTO booked (event_id, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING";

export default defineHandlers({
  handlers: {
    "*": async (event, { log }) => {
      await pool.query(BOOK, [event.id, event.kind]);
      log.info("booked");
    },
  },
});
