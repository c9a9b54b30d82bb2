import type { Role, Runner } from "../runner.ts";
import { SCHEMA_VERSION } from "./migrations.ts";
import type { Store } from "./store.ts";

/** Records a process that runs entries, or what has changed about it. */
export async function recordRunner(store: Store, runner: Runner, now: number): Promise<void> {
  const { id, version, role, sources, kinds } = runner;
  await store.query(
    `INSERT INTO @.runner (id, since, seen_at, version, schema, role, sources, kinds)
     VALUES ($1::text, $2::bigint, $2::bigint, $3::text, $4::int, $5::text, $6::text, $7::text)
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, version = excluded.version, schema = excluded.schema,
       role = excluded.role, sources = excluded.sources, kinds = excluded.kinds`,
    [id, now, version, SCHEMA_VERSION, role, JSON.stringify(sources), JSON.stringify(kinds)],
  );
}

/** Removes the record of a process that ends. */
export async function forgetRunner(store: Store, id: string): Promise<void> {
  await store.query("DELETE FROM @.runner WHERE id = $1::text", [id]);
}

/** The recorded processes, except one. */
export async function otherRunners(store: Store, own: string | undefined): Promise<readonly Runner[]> {
  const rows = await store.query(
    "SELECT id, version, role, sources, kinds FROM @.runner WHERE id <> $1::text",
    [own ?? ""],
  );
  return rows.map(({ id, version, role, sources, kinds }) => ({
    id: String(id),
    version: String(version),
    role: role as Role,
    sources: JSON.parse(String(sources)),
    kinds: JSON.parse(String(kinds)),
  }));
}
