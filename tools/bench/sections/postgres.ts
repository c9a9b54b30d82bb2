import pg from "pg";
import { postgresInbox } from "../../../src/entries/index.ts";
import { NO_SERVER, startPostgres } from "../../../test/inbox/postgres/server.ts";
import type { Form } from "../form.ts";
import { type Claims, measureClaims } from "../postgres/claims.ts";
import { append, entrySource } from "../postgres/entries.ts";
import { measureHttp, type OverHttp } from "../postgres/http.ts";
import { type Keeping, measureKeeping } from "../postgres/keep.ts";
import { measureProcesses, type Processes } from "../postgres/processes.ts";
import { measurePruning, type Pruning } from "../postgres/prune.ts";
import { measureWakeUp, type WakeUp } from "../postgres/wake-up.ts";
import type { Stage } from "../stage.ts";
import { storeBehind } from "../store-behind.ts";

/** The inbox on PostgreSQL, or why it could not be measured. */
export type OnPostgres =
  | { readonly leftOut: string }
  | {
      readonly keeping: readonly Keeping[];
      readonly http: OverHttp;
      readonly wakeUp: WakeUp;
      readonly claims: Claims;
      readonly pruning: Pruning;
      readonly processes: readonly Processes[];
    };

/** Every flush reaches the disk, as with the file; the buffers are those of a small server. */
export const SETTINGS = { fsync: "on", shared_buffers: "512MB", max_wal_size: "4GB" };

/** All that is measured on PostgreSQL, on a server of its own. */
export async function measurePostgres(
  stage: Stage,
  { postgres: sizes, rounds, seconds }: Form,
  tell: (line: string) => void,
): Promise<OnPostgres> {
  if (NO_SERVER !== undefined) {
    tell(`postgres: ${NO_SERVER}`);
    return { leftOut: NO_SERVER };
  }
  const server = await startPostgres(SETTINGS);
  const { url } = server;
  try {
    const keeping: Keeping[] = [];
    for (const entries of [0, sizes.aged]) {
      tell(`postgres: keeping with ${entries} entries`);
      keeping.push(await measureKeeping(url, { entries, rounds, seconds }));
    }
    tell(`postgres: over HTTP, with ${sizes.aged} entries too`);
    await fill(url, "aged", sizes.aged);
    const http = await measureHttp(
      stage,
      { url, aged: "aged", entries: sizes.aged },
      { rounds, seconds },
    );
    await drop(url, "aged", "http", "http_empty");
    tell("postgres: waking up");
    const wakeUp = await measureWakeUp(url, { times: sizes.wakeUps, rounds, seconds });
    tell("postgres: claiming");
    const claims = await measureClaims(url, sizes);
    tell("postgres: pruning");
    const pruning = await measurePruning(url, { entries: sizes.pruned, seconds });
    tell("postgres: 1, 2 and 4 processes");
    const processes = await measureProcesses({ url, node: stage.node }, sizes.waiting);
    return { keeping, http, wakeUp, claims, pruning, processes };
  } finally {
    await stage.clear();
    await server.stop();
  }
}

async function fill(url: string, schema: string, entries: number): Promise<void> {
  const inbox = storeBehind(postgresInbox(url, { schema }));
  await inbox.open();
  await append(inbox, entrySource({ state: "dead", reason: "invalid_data" }), entries);
  await inbox.close();
}

async function drop(url: string, ...schemas: readonly string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS ${schemas.join(", ")} CASCADE`);
  await admin.end();
}
