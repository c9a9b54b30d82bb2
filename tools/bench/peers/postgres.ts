import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { NO_SERVER, startPostgres } from "../../../test/inbox/postgres/server.ts";
import { SETTINGS } from "../sections/postgres.ts";
import type { Database } from "./database.ts";

/** Why PostgreSQL cannot be measured; `undefined` if it can. */
export const NO_POSTGRES =
  NO_SERVER ??
  (process.env.HOOKPORTER_POSTGRES_URL === undefined
    ? undefined
    : "skipped: HOOKPORTER_POSTGRES_URL names a server, which cannot be ended here: unset it");

/** Clock ticks per second in `/proc`, on every Linux. */
const TICKS = 100;

const USED = `
  SELECT (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS pid, pg_current_wal_lsn() - '0/0' AS log,
    (SELECT sum(calls) FROM pg_stat_statements) AS statements`;

/** Starts a PostgreSQL that counts statements. */
export async function startCountedPostgres(): Promise<Database> {
  const server = await startPostgres({
    ...SETTINGS,
    shared_preload_libraries: "pg_stat_statements",
  });
  const ask = async (text: string) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows[0];
  };
  await ask("CREATE EXTENSION pg_stat_statements");
  return {
    url: server.url,
    used: async () => {
      const { log, statements, pid } = await ask(USED);
      return { log: Number(log), statements: Number(statements), cpu: secondsOf(pid) };
    },
    crash: async () => server.restart?.(),
    stop: () => server.stop(),
  };
}

/**
 * Processor time of the server that a process belongs to: of all its processes, also those that
 * have ended.
 */
function secondsOf(member: number): number {
  if (process.platform !== "linux") return Number.NaN;
  const all = readdirSync("/proc").flatMap(readStat);
  const first = all.find(({ pid }) => pid === member)?.parent;
  const ticks = all.map(({ pid, parent, own, ended }) => {
    if (pid === first) return own + ended;
    return parent === first ? own : 0;
  });
  return ticks.reduce((sum, some) => sum + some, 0) / TICKS;
}

/**
 * The parent of a process, and the ticks that it and its ended children used; nothing if it has
 * ended.
 */
function readStat(name: string) {
  if (!/^\d+$/.test(name)) return [];
  try {
    const text = readFileSync(`/proc/${name}/stat`, "latin1");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const parent = fields[1] ?? 0;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
    return [{ pid: Number(name), parent, own: user + system, ended: endedUser + endedSystem }];
  } catch {
    return [];
  }
}
