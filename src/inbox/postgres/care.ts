import { connect } from "./connect.ts";
import {
  checkEncoding,
  grantsSql,
  MIGRATIONS,
  type Migration,
  migrate,
  migrationSql,
  schemaOf,
} from "./migrations.ts";
import { readPostgresOptions } from "./postgres-options.ts";
import { LONG_TIMEOUT, Store } from "./store.ts";

/** What was done to a schema, or is to be done. */
export interface Migrated {
  readonly schema: string;
  /** The version before; 0 if there was no schema. */
  readonly from: number;
  readonly to: number;
}

/** Brings the schema that a URL names up to date, and grants a role what it needs to use it. */
export async function migrateSchema(
  url: string,
  role: string | undefined,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated> {
  return withStore(url, async (store) => {
    await checkEncoding(store);
    const from = await schemaOf(store, "maker", migrations.length);
    await migrate(store, migrations);
    if (role !== undefined) {
      const grants = grantsSql(store.schema, role).split("\n");
      await store.transaction(async (query) => {
        for (const grant of grants) await query(grant);
      }, LONG_TIMEOUT);
    }
    return { schema: store.schema, from, to: await schemaOf(store, "maker", migrations.length) };
  });
}

/** Deletes the schema that a URL names, if there is one, with all that is in it. */
export async function dropSchema(url: string): Promise<void> {
  await withStore(url, async (store) => {
    await store.query(`DROP SCHEMA IF EXISTS ${store.schema} CASCADE`, [], LONG_TIMEOUT);
  });
}

/**
 * The SQL with which an operator does the same: of what is missing, or of everything, without a
 * connection.
 */
export async function printedMigration(
  url: string,
  { role, all }: { readonly role: string | undefined; readonly all: boolean },
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated & { readonly sql: string }> {
  const { schema } = readPostgresOptions(url, {});
  const from = all
    ? 0
    : await withStore(url, (store) => schemaOf(store, "reader", migrations.length));
  const grants =
    role === undefined ? [] : [`-- For the user of the receivers\n${grantsSql(schema, role)}\n`];
  const sql = [migrationSql(schema, from, migrations), ...grants]
    .filter((text) => text !== "")
    .join("\n");
  return { schema, from, to: Math.max(from, migrations.length), sql };
}

async function withStore<Result>(
  url: string,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const terms = readPostgresOptions(url, {});
  const store = new Store(await connect(terms), terms);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
