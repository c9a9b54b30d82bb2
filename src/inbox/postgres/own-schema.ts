import { HookporterError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import type { Query } from "./session.ts";

/**
 * Who decides whose the schema may be. `maker`: the user, who makes or changes its tables. `user`:
 * the user, who opens the inbox, if allowed to create a schema. `reader`: any owner.
 */
export type Judge = "maker" | "user" | "reader";

/** Whether the current user decides who is trusted, by $3; otherwise the tables' owner does. */
const BY_USER = `CASE $3::text WHEN 'maker' THEN true WHEN 'reader' THEN false
  ELSE has_database_privilege(current_database()::text, 'CREATE'::text) END`;

/**
 * Objects whose code runs with statements on our tables, and objects of a stranger, who could add
 * such ones. In an expression, functions are immutable ones of pg_catalog, since others, such as
 * query_to_xml, run any text.
 *
 * Trusted are those who could act as the owner anyway: superusers, the database's owner, members of
 * the owner, and roles that it is a member of. A superuser is not taken for a member of every role.
 * A user who may create no schema trusts the role that made it.
 *
 * Only the catalogue is read, since reading a table may run code, too.
 */
const STRANGE = `
  WITH RECURSIVE home AS (
    SELECT tableoid, oid, nspowner FROM pg_namespace WHERE nspname = $1::name
  ), ours AS (
    SELECT c.tableoid, c.oid, c.relname, c.relkind, c.relowner AS owner
    FROM pg_class c JOIN home ON home.oid = c.relnamespace WHERE c.relname = ANY ($2::name[])
  ), judge AS (
    SELECT CASE WHEN ${BY_USER} THEN (SELECT oid FROM pg_roles WHERE rolname = current_user)
      ELSE coalesce((SELECT owner FROM ours WHERE relname = 'migration'), nspowner) END AS oid FROM home
  ), above AS (
    SELECT oid FROM judge
    UNION SELECT m.roleid FROM pg_auth_members m JOIN above ON above.oid = m.member
  ), below AS (
    SELECT oid FROM judge
    UNION SELECT datdba FROM pg_database WHERE datname = current_database()
    UNION SELECT m.member FROM pg_auth_members m JOIN below ON below.oid = m.roleid
  ), trusted AS (
    SELECT oid FROM above UNION SELECT oid FROM below
    UNION SELECT oid FROM pg_roles WHERE rolsuper OR rolname = 'pg_database_owner'
  ), indexes AS (
    SELECT i.indexrelid AS oid, o.owner, concat(i.indexprs::text, i.indpred::text) AS code
    FROM pg_index i JOIN ours o ON o.oid = i.indrelid
  ), coded AS (
    SELECT d.tableoid, d.oid, o.owner, d.adbin::text AS code FROM pg_attrdef d JOIN ours o ON o.oid = d.adrelid
    UNION ALL SELECT c.tableoid, c.oid, o.owner, c.conbin::text FROM pg_constraint c JOIN ours o ON o.oid = c.conrelid
    UNION ALL SELECT 'pg_catalog.pg_class'::regclass::oid, oid, owner, code FROM indexes
  ), found AS (
    SELECT true AS stranger, tableoid, oid, 0 AS part, nspowner AS owner FROM home
    WHERE nspowner NOT IN (SELECT oid FROM trusted)
    UNION ALL SELECT true, tableoid, oid, 0, owner FROM ours WHERE owner NOT IN (SELECT oid FROM trusted)
    UNION ALL SELECT false, tableoid, oid, 0, owner FROM ours WHERE relkind <> ALL ('{r,S}'::"char"[])
    UNION ALL SELECT false, t.tableoid, t.oid, 0, p.proowner FROM pg_trigger t JOIN ours o ON o.oid = t.tgrelid
      JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal
    UNION ALL SELECT false, r.tableoid, r.oid, 0, o.owner FROM pg_rewrite r JOIN ours o ON o.oid = r.ev_class
      WHERE o.relkind = 'r'
    UNION ALL SELECT false, p.tableoid, p.oid, 0, o.owner FROM pg_policy p JOIN ours o ON o.oid = p.polrelid
      WHERE row_security_active(o.oid)
    UNION ALL SELECT false, c.tableoid, c.oid, 0, c.relowner FROM pg_inherits i
      JOIN pg_class c ON c.oid IN (i.inhrelid, i.inhparent)
      WHERE EXISTS (SELECT FROM ours o WHERE o.oid IN (i.inhrelid, i.inhparent) AND o.oid <> c.oid)
    UNION ALL SELECT false, f.tableoid, f.oid, 0, c.relowner FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
      WHERE f.contype = 'f' AND EXISTS (SELECT FROM ours o WHERE o.oid IN (f.conrelid, f.confrelid))
    UNION ALL SELECT false, o.tableoid, o.oid, a.attnum::int, o.owner FROM pg_attribute a JOIN ours o ON o.oid = a.attrelid
      WHERE a.attgenerated <> ''
    UNION ALL SELECT false, c.tableoid, c.oid, 0, c.owner FROM coded c WHERE EXISTS (
      SELECT FROM regexp_matches(c.code, ':funcid ([0-9]+)', 'g') AS f(id) JOIN pg_proc p ON p.oid = f.id[1]::oid
      WHERE p.provolatile <> 'i' OR p.pronamespace <> 'pg_catalog'::regnamespace::oid)
    UNION ALL SELECT false, d.classid, d.objid, d.objsubid, x.owner FROM pg_depend d JOIN (
      SELECT tableoid, oid, owner FROM ours UNION ALL SELECT tableoid, oid, owner FROM coded) x
      ON x.tableoid = d.classid AND x.oid = d.objid
      WHERE d.refclassid IN ('pg_catalog.pg_proc'::regclass::oid, 'pg_catalog.pg_operator'::regclass::oid,
        'pg_catalog.pg_type'::regclass::oid, 'pg_catalog.pg_collation'::regclass::oid)
  )
  SELECT f.stranger, i.type, i.identity, r.rolname AS owner, current_user AS "user"
  FROM found f CROSS JOIN LATERAL pg_identify_object(f.tableoid, f.oid, f.part) i
    LEFT JOIN pg_roles r ON r.oid = f.owner
  ORDER BY f.stranger DESC, i.identity, i.type LIMIT 1`;

/**
 * Refuses a schema that another role made or may change, and tables with which another's code runs:
 * `inbox_unavailable`. Every way into an inbox asks this before its first statement on a table.
 *
 * @param names - the tables and sequences that are used
 */
export async function checkOwnSchema(
  query: Query,
  { schema, name }: { readonly schema: string; readonly name: string },
  names: readonly string[],
  judge: Judge,
): Promise<void> {
  await checkSearchPath(query, name);
  const [found] = await query(STRANGE, [schema, names, judge]);
  if (found === undefined) return;
  const { stranger, type, identity, owner, user } = found;
  const what = `${JSON.stringify(`${String(type)} ${String(identity)}`)}, owned by ${JSON.stringify(owner)}`;
  const why = stranger ? `of which ${JSON.stringify(user)} is no member` : "whose code would run";
  const fix = stranger
    ? "connect as its owner if you know that role, drop it if not, or name another schema in the URL with ?schema="
    : "drop it, or name another schema in the URL with ?schema=";
  throw new HookporterError(
    "inbox_unavailable",
    `expected the schema ${schema} of ${name} to be as \`${ownCommand("inbox migrate")}\` makes it, got ${what}, ${why}: ${fix}`,
  );
}

/**
 * Functions are always qualified, and operators take exactly the types of one in pg_catalog, so
 * that no other schema has a better match. That holds while no schema is searched before it.
 */
async function checkSearchPath(query: Query, name: string): Promise<void> {
  const [row] = await query("SELECT array_to_json(current_schemas(true))::text AS path");
  const path: readonly string[] = JSON.parse(String(row?.path));
  const [first] = path.filter((schema) => !schema.startsWith("pg_temp"));
  if (first === "pg_catalog") return;
  throw new HookporterError(
    "inbox_unavailable",
    `expected search_path of ${name} to begin with pg_catalog, as it does if it does not name it, got ${JSON.stringify(first)}: ` +
      "remove pg_catalog from search_path of the role and the database",
  );
}
