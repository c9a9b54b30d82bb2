import { randomUUID } from "node:crypto";
import { withTimeout } from "../../base/with-timeout.ts";
import type { InboxFacts } from "../inbox-facts.ts";
import { DROPPED } from "../target-wait.ts";
import { storeClock } from "./clock.ts";
import { connect } from "./connect.ts";
import { STATE_IN_TURN } from "./filter.ts";
import { hiddenTables, SCHEMA_VERSION, schemaOf } from "./migrations.ts";
import { readPauses } from "./pause.ts";
import { readPostgresOptions } from "./postgres-options.ts";
import { Runners } from "./runners.ts";
import { readSenders } from "./senders.ts";
import type { PostgresSession } from "./session.ts";
import { Store } from "./store.ts";

export interface DatabaseFacts {
  readonly server: ServerFacts;
  /** The version of the tables; 0 if there are none. */
  readonly schema: number;
  readonly newestSchema: number;
  readonly name: string;
  /** The private address to which the connection is not encrypted; `undefined` if all is well. */
  readonly plainTo: string | undefined;
  /** Whether notifications arrive, as they do not through a pooler in transaction mode. */
  readonly notifies: boolean;
  /**
   * What is in the tables; `undefined` if there are none, an older version made them, or the user
   * lacks rights.
   */
  readonly tables: TableFacts | undefined;
  /** What the user may not do, such as `INSERT on entry`; empty if there are no tables. */
  readonly lacks: readonly string[];
}

export interface ServerFacts {
  /** Such as `15.6`. */
  readonly version: string;
  readonly encoding: string;
  /** Whether it only reads, as a standby does. */
  readonly isStandby: boolean;
  readonly user: string;
  readonly mayCreate: boolean;
  /**
   * The user's settings that make an inbox slow or its statements fail, such as
   * `enable_indexscan = off`.
   */
  readonly harmful: readonly string[];
}

export interface TableFacts extends InboxFacts {
  /** Rows of the busiest table that are dead, and alive. */
  readonly deadRows: number;
  readonly liveRows: number;
  /** How many rows the planner believes it has; `undefined` if it reckons with its size. */
  readonly believedRows: number | undefined;
  /** Whether autovacuum is off, on the server or for that table. */
  readonly neverVacuumed: "server" | "table" | undefined;
  /**
   * Milliseconds for which the oldest transaction of the server has been open, which keeps dead
   * rows in place.
   */
  readonly oldestTransaction: number;
}

const NOTIFICATION = 2000;

/**
 * Entries are counted no further than this, so that a large backlog is no reason for doctor to be
 * slow.
 */
const COUNTED = 1_000_000;

/** The table whose rows change with every attempt. */
const BUSIEST = "turn";

/**
 * Looks at an inbox on PostgreSQL, and changes nothing: no table is made, and no process registers.
 */
export async function examineDatabase(url: string): Promise<DatabaseFacts> {
  const terms = readPostgresOptions(url, {});
  let plainTo: string | undefined;
  const session = await connect(terms, (address) => {
    plainTo = address;
  });
  const store = new Store(session, terms);
  try {
    const server = await readServer(store);
    const schema = await schemaOf(store, "user");
    const lacks = schema === 0 ? [] : await missingRights(store);
    if (schema > 0)
      lacks.push(
        ...(await hiddenTables(store)).map((table) => `all rows (row-level security) of ${table}`),
      );
    const [notifies, tables] = await Promise.all([
      supportsNotify(session, store),
      schema >= SCHEMA_VERSION && lacks.length === 0 ? readTables(store) : undefined,
    ]);
    return {
      server,
      schema,
      newestSchema: SCHEMA_VERSION,
      name: store.schema,
      plainTo,
      notifies,
      tables,
      lacks,
    };
  } finally {
    await store.close();
  }
}

async function readServer(store: Store): Promise<ServerFacts> {
  const [row] = await store.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS standby, current_user AS name,
       has_database_privilege(current_database(), 'CREATE') AS may_create`,
  );
  return {
    version: String(row?.version).split(" ")[0] ?? "",
    encoding: String(row?.encoding),
    isStandby: row?.standby === true,
    user: String(row?.name),
    mayCreate: row?.may_create === true,
    harmful: (await store.query(HARMFUL)).map(({ shown }) => String(shown)),
  };
}

/** Settings of a role, a database or the server which the inbox was not made for. */
const HARMFUL = `
  SELECT name || ' = ' || current_setting(name) AS shown FROM pg_settings WHERE CASE
    WHEN name ~ '^enable_' THEN boot_val = 'on' AND setting = 'off'
    WHEN name = 'jit_above_cost' THEN setting::float8 BETWEEN 0::float8 AND 50000::float8 AND current_setting('jit') = 'on'
    WHEN name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')
      THEN setting::int BETWEEN 1 AND 5000
    WHEN name = 'idle_session_timeout' THEN setting::int BETWEEN 1 AND 60000
    WHEN name = 'default_transaction_isolation' THEN setting NOT LIKE 'read %'
    ELSE false END
  ORDER BY name`;

/** What `inbox migrate --grant-to` grants, and the user does not have. */
async function missingRights(store: Store): Promise<string[]> {
  const rows = await store.query(
    `SELECT r AS right, c.relname AS name FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS r
     WHERE c.relnamespace = $1::text::regnamespace::oid AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, r)
     UNION ALL SELECT 'USAGE', c.relname FROM pg_class c
     WHERE c.relnamespace = $1::text::regnamespace::oid
       AND CASE c.relkind WHEN 'S' THEN NOT has_sequence_privilege(c.oid, 'USAGE') ELSE false END
     ORDER BY 2, 1`,
    [store.schema],
  );
  return rows.map(({ right, name }) => `${String(right)} on ${String(name)}`);
}

async function readTables(store: Store): Promise<TableFacts> {
  const clock = storeClock();
  await clock.measure(store);
  const [counts] = await store.query(
    `SELECT (SELECT count(*) FROM (SELECT FROM @.turn LIMIT ${COUNTED}) x) AS waiting,
       (SELECT count(*) FROM (SELECT FROM @.turn t WHERE ${STATE_IN_TURN} = 'failing' LIMIT ${COUNTED}) x) AS failing,
       (SELECT count(*) FROM (SELECT FROM @.turn WHERE NOT behind AND run_at <= $1::bigint LIMIT ${COUNTED}) x) AS due,
       (SELECT min(run_at) FROM @.turn WHERE NOT behind AND run_at <= $1::bigint) AS oldest,
       (SELECT count(*) FROM @.dead_or_received WHERE state = 'dead' AND reason IS DISTINCT FROM $2::text) AS dead`,
    [clock.now(), DROPPED],
  );
  const { oldest } = counts ?? {};
  const [health] = await store.query(HEALTH, [store.schema, BUSIEST]);
  const never = health?.server === "off" ? "server" : health?.off === true ? "table" : undefined;
  return {
    waiting: Number(counts?.waiting),
    failing: Number(counts?.failing),
    due: Number(counts?.due),
    oldestDue: oldest === null || oldest === undefined ? null : Number(oldest),
    dead: Number(counts?.dead),
    processes: await new Runners(store, clock).others(),
    senders: await readSenders(store),
    pauses: await readPauses(store),
    bytes: Number(health?.bytes),
    deadRows: Number(health?.dead_rows ?? 0),
    liveRows: Number(health?.live_rows ?? 0),
    believedRows: Number(health?.believed ?? -1) < 0 ? undefined : Number(health?.believed),
    neverVacuumed: never,
    oldestTransaction: Number(health?.oldest_ms ?? 0),
  };
}

const HEALTH = `
  SELECT current_setting('autovacuum') AS server,
    (SELECT EXISTS (SELECT FROM unnest(c.reloptions) o WHERE o ~* '^autovacuum_enabled=(false|off|no|0)$')) AS off,
    (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
     WHERE relnamespace = c.relnamespace AND relkind = 'r') AS bytes,
    c.reltuples AS believed, pg_stat_get_dead_tuples(c.oid) AS dead_rows, pg_stat_get_live_tuples(c.oid) AS live_rows,
    (SELECT max(extract(epoch FROM now() - xact_start))::float8 * 1000::float8 FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS oldest_ms
  FROM pg_class c WHERE c.relnamespace = $1::text::regnamespace::oid AND c.relname = $2::text`;

/**
 * Whether a notification that is sent now is heard. On a channel of its own, so that it wakes no
 * process.
 */
async function supportsNotify(session: PostgresSession, store: Store): Promise<boolean> {
  if (session.listen === undefined) return false;
  const channel = `hookporter_doctor_${randomUUID().slice(0, 8)}`;
  let heard = (_arrived: boolean) => {};
  const arrived = new Promise<boolean>((resolve) => {
    heard = resolve;
  });
  try {
    const listening = await session.listen(
      channel,
      () => heard(true),
      () => heard(false),
    );
    try {
      await store.query("SELECT pg_notify($1::text, '')", [channel]);
      return await withTimeout(arrived, NOTIFICATION, () => false);
    } finally {
      await listening.stop().catch(() => {});
    }
  } catch {
    return false;
  }
}
