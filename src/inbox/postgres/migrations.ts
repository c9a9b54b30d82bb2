import { HookporterError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { stateOf } from "./errors.ts";
import { checkOwnSchema, type Judge } from "./own-schema.ts";
import type { Query } from "./session.ts";
import { LIFT_LIMIT, LONG_TIMEOUT, named, type Store } from "./store.ts";
import { TABLES } from "./tables.ts";

export interface Migration {
  /** Each statement ends with a line. */
  readonly sql: string;
  /** Whether a process that does not know this version must not use the schema. */
  readonly breaking: boolean;
}

/**
 * The migration to each version of the schema. Until 1.0.0 is released, the first may be edited.
 * After that, append only: existing databases have run what was released. As text in the program,
 * since bundlers lose files.
 */
export const MIGRATIONS: readonly Migration[] = [{ sql: TABLES, breaking: true }];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The names of all tables and sequences, as the migrations make them. */
const NAMES = [
  "migration",
  ...MIGRATIONS.flatMap(({ sql }) => [...sql.matchAll(/CREATE (?:TABLE|SEQUENCE) @\.(\w+)/g)]).map(
    ([, name]) => String(name),
  ),
];

const LOCK =
  "SELECT pg_advisory_xact_lock(hashtextextended('hookporter migrate '::text || $1::text, 0::bigint))";
const CREATE_MIGRATION =
  "CREATE TABLE @.migration (version int PRIMARY KEY, breaking boolean NOT NULL, applied_at timestamptz NOT NULL)";

/**
 * The SQL for an operator that brings a schema up to date from a version, 0 for none; empty if
 * there is nothing to do.
 */
export function migrationSql(
  schema: string,
  from: number,
  migrations: readonly Migration[] = MIGRATIONS,
): string {
  const steps = migrations.slice(from).map(({ sql, breaking }, index) => {
    const version = from + index + 1;
    const first = version === 1 ? [`CREATE SCHEMA "${schema}"`, CREATE_MIGRATION] : [];
    const record = `INSERT INTO @.migration VALUES (${version}, ${breaking}, now())`;
    const all = [
      "BEGIN",
      LIFT_LIMIT,
      LOCK.replace("$1", `'${schema}'`),
      ...first,
      ...statementsOf(sql),
      record,
      "COMMIT",
    ];
    const text = all.map((statement) => `${statement.trim().replace(/;$/, "")};\n`).join("");
    return `-- The inbox in the schema ${schema}, version ${version}\n${named(text, schema)}`;
  });
  return steps.join("\n");
}

/**
 * What a user needs who keeps, runs and prunes, but makes no tables. To be run again after each
 * migration.
 */
export function grantsSql(schema: string, role: string): string {
  const name = /^[a-z_][a-z0-9_]*$/.test(role) ? role : `"${role.replaceAll('"', '""')}"`;
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${name};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${name};`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${name};`,
  ].join("\n");
}

/**
 * Makes the schema if there is none, and brings it up to date. Safe if several processes do it at
 * once.
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  while ((await schemaOf(store, "user", migrations.length)) < migrations.length) {
    await store.transaction(async (query) => {
      await query(LIFT_LIMIT);
      await query(LOCK, [store.schema]);
      const { hasSchema, hasTables } = await look(query, store, "maker");
      // Not IF NOT EXISTS: a schema that appears at this moment is a stranger's.
      if (!hasSchema) await query(`CREATE SCHEMA "${store.schema}"`);
      if (!hasTables) await query(CREATE_MIGRATION);
      const { version } = await versions(query);
      const next = migrations[version];
      if (next === undefined) return;
      for (const statement of statementsOf(next.sql)) await query(statement);
      await query("INSERT INTO @.migration VALUES ($1, $2, now())", [version + 1, next.breaking]);
    }, LONG_TIMEOUT);
  }
}

/**
 * Refuses a database whose encoding cannot hold every text; notes at which level statements are
 * isolated.
 */
export async function checkEncoding(store: Store): Promise<void> {
  const [row] = await store.query(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('transaction_isolation') AS isolation",
  );
  store.readsCommitted = row?.isolation === "read committed";
  if (row?.encoding === "UTF8") return;
  throw new HookporterError(
    "inbox_unavailable",
    `expected the database of ${store.name} to have the encoding UTF8, got ${String(row?.encoding)}: ` +
      "create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
  );
}

/**
 * Refuses a schema that is not there, or older than this code, and tables of which policies may
 * hide rows: `inbox_unavailable`, `inbox_older`, `inbox_newer`.
 */
export async function checkSchema(
  store: Store,
  judge: Judge,
  newest = SCHEMA_VERSION,
): Promise<void> {
  const version = await schemaOf(store, judge, newest);
  if (version >= newest) {
    const [hidden] = await hiddenTables(store);
    if (hidden === undefined) return;
    // Entries that are accepted would never be found again.
    throw new HookporterError(
      "inbox_unavailable",
      `expected all rows of ${store.name} to be seen, got row-level security on ${hidden}: ` +
        `ALTER TABLE ${store.schema}.${hidden} DISABLE ROW LEVEL SECURITY, or give the user BYPASSRLS`,
    );
  }
  if (version === 0) {
    throw new HookporterError(
      "inbox_unavailable",
      `expected an inbox in the schema ${store.schema} of ${store.name}, got none: run \`${ownCommand("inbox migrate")}\`, ` +
        'open it once with the option migrate: "auto", or check the database and the schema in the URL',
    );
  }
  throw new HookporterError(
    "inbox_older",
    `expected schema version ${newest} in ${store.name}, got ${version}: run \`${ownCommand("inbox migrate")}\`, ` +
      'or open it once with the option migrate: "auto"',
  );
}

/** The tables with row-level security that applies to this user. */
export async function hiddenTables(store: Store): Promise<readonly string[]> {
  const rows = await store.query(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1::name AND c.relrowsecurity AND row_security_active(c.oid) ORDER BY 1`,
    [store.schema],
  );
  return rows.map(({ name }) => String(name));
}

/**
 * The version of a schema; 0 if there is none. Throws `inbox_newer` if this code must not use it,
 * and `inbox_unavailable` if a stranger may change it.
 *
 * @param newest - the newest version that is known
 */
export async function schemaOf(
  store: Store,
  judge: Judge,
  newest = SCHEMA_VERSION,
): Promise<number> {
  const query: Query = (text, values) => store.query(text, values);
  try {
    if (!(await look(query, store, judge)).hasTables) return 0;
    const { version, breaking } = await versions(query);
    if (breaking <= newest) return version;
    throw new HookporterError(
      "inbox_newer",
      `expected schema version ${newest} or older in ${store.name}, got ${version}: update hookporter`,
    );
  } catch (thrown) {
    const { cause } = thrown as { cause?: unknown };
    if (stateOf(cause) === "42P01") return 0; // made or removed at this moment
    throw thrown;
  }
}

/**
 * What is there, and nobody else's. From the catalogue's tables, not by name: a name that was
 * unknown before a lock was waited for may stay so. Refuses the tables of 1.0.0-rc.1, which were
 * partitioned by day and have the same version.
 */
async function look(query: Query, store: Store, judge: Judge) {
  const { schema } = store;
  const rows = await query(
    `SELECT c.relname AS name FROM pg_namespace n
       LEFT JOIN pg_class c ON n.oid = c.relnamespace AND c.relname = ANY ('{migration,day}'::name[])
     WHERE n.nspname = $1::name`,
    [schema],
  );
  if (rows.some(({ name }) => name === "day")) {
    throw new HookporterError(
      "inbox_older",
      `expected the tables of 1.0.0 in the schema ${schema}, got those of 1.0.0-rc.1: copy them to a file with \`${ownCommand("inbox copy")}\` of that version, and the file to another schema with this one`,
    );
  }
  await checkOwnSchema(query, store, NAMES, judge);
  return { hasSchema: rows.length > 0, hasTables: rows.some(({ name }) => name !== null) };
}

async function versions(query: Query): Promise<{ version: number; breaking: number }> {
  const [row] = await query(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(version) FILTER (WHERE breaking), 0) AS breaking
     FROM @.migration`,
  );
  return { version: Number(row?.version), breaking: Number(row?.breaking) };
}

/** The statements of a text, each up to a semicolon at the end of a line, or up to the end. */
function statementsOf(sql: string): readonly string[] {
  const statements: string[] = [];
  let statement = "";
  for (const line of sql.split("\n")) {
    statement += `${line}\n`;
    // One within the body of a function does not end it.
    const isWhole = (statement.match(/\$\w*\$/g) ?? []).length % 2 === 0;
    if (!line.trimEnd().endsWith(";") || !isWhole) continue;
    statements.push(statement);
    statement = "";
  }
  return [...statements, statement].filter((text) => text.trim() !== "");
}
