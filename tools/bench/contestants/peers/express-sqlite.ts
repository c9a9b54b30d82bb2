import { type PeerEvent, peer } from "./peer.ts";

/** A table of one's own in SQLite: one commit per delivery, then the handler, then a mark. */
export const expressSqlite = peer(async (inbox, handle) => {
  // The types are those of the package with the same API: Node 20, whose types are used, has no
  // SQLite.
  const own = "node:sqlite";
  const { DatabaseSync } = (await import(own)) as typeof import("@photostructure/sqlite");
  const database = new DatabaseSync(inbox);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS event (id TEXT PRIMARY KEY, data TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0);
  `);
  const insert = database.prepare("INSERT OR IGNORE INTO event (id, data) VALUES (?, ?)");
  const mark = database.prepare("UPDATE event SET done = 1 WHERE id = ?");
  const run = async (event: PeerEvent) => {
    await handle(event);
    mark.run(event.id);
  };
  for (const { id, data } of database.prepare("SELECT id, data FROM event WHERE done = 0").all()) {
    void run({ id: String(id), data: JSON.parse(String(data)) });
  }
  return {
    keep: async (event) => {
      if (insert.run(event.id, JSON.stringify(event.data)).changes === 1) setImmediate(run, event);
    },
    close: async () => database.close(),
  };
});
