import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/text/escape-invisible.ts";
import { shortText } from "../../base/text/short-text.ts";
import { CREATE_MIGRATION, createSchema, schemaOf } from "./migrations.ts";

// An inbox file may come from someone else, and its schema is SQL that runs with each statement: a
// view in the place of a table, a trigger, an expression. So nothing is read from a file before its
// schema is known to be what the migrations make, and at most plain tables and indexes besides.

/** Characters of a definition that are looked at; those of the inbox have less than 3000. */
const LONGEST = 20_000;

/** The most objects that a file may have. */
const MOST = 500;

/** An object of a schema; no file can give another meaning to the name `sqlite_master`. */
const OBJECTS = `SELECT type, name, tbl_name AS "on", substr(sql, 1, ${LONGEST + 1}) AS sql
  FROM main.sqlite_master LIMIT ${MOST + 1}`;

interface SchemaObject {
  readonly type: string;
  /** In lower case, as the name of its table: SQLite makes no difference. */
  readonly name: string;
  readonly shown: string;
  /** The table of an index or trigger. */
  readonly on: string;
  /** `null` for the index of a key, which its table defines. */
  readonly sql: string | null;
}

/** Comments and white space; strings and quoted names are passed over, also without an end. */
const SPACE =
  /('[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$))|(?:[ \t\n\f\r]|--[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*$))+/g;

/** What a definition begins with that only holds rows. */
const HOLDS_ROWS = /^CREATE (?:TABLE|INDEX|UNIQUE INDEX) /;

/** Words without which a table has no expression that a read, a check or a copy runs. */
const EXPRESSION = /\b(?:AS|CHECK|GENERATED)\b/i;

/** Columns only: no expression, and no condition. */
const COLUMN = /(?:\w+|"\w+")(?: COLLATE \w+)?(?: (?:ASC|DESC))?/.source;
// At most 20 000 characters: a longer definition is refused before.
const PLAIN_INDEX = new RegExp(
  String.raw`^CREATE (UNIQUE )?INDEX (?:\w+|"\w+") ON (?:\w+|"\w+") ?\( ?${COLUMN}(?: ?, ?${COLUMN})* ?\)$`,
  "i",
);

/** Those of SQLite itself that a file may have. */
const OF_SQLITE = /^sqlite_(?:sequence|stat\d)$/;

/**
 * Refuses a file whose schema could run anything, or that changes the inbox's own tables. Reads
 * nothing else of it.
 *
 * @param inMemory - makes an empty database, to learn what the migrations make
 * @param versionOf - the version of the schema; called once its table is known to be one
 * @throws HookporterError `inbox_corrupt`, which names the object; `inbox_newer`
 */
export function refuseForeign(
  database: DatabaseSyncInstance,
  path: string,
  migrations: readonly string[],
  inMemory: () => DatabaseSyncInstance,
  versionOf = schemaOf,
): void {
  const objects = objectsOf(database);
  const running = objects.find(
    ({ name, sql }) =>
      (sql !== null && !HOLDS_ROWS.test(sql)) ||
      (name === "migration" && sql !== CREATE_MIGRATION) ||
      (name.startsWith("sqlite_") && sql !== null && !OF_SQLITE.test(name)),
  );
  if (running !== undefined) throw foreign(path, running);
  if (objects.length > MOST) throw corrupt(path, `more than ${MOST} tables and indexes`);
  // without it the tables are lost, which those say that need them
  const version = objects.some(({ name }) => name === "migration")
    ? versionOf(database, path, migrations.length)
    : migrations.length;
  const own = ownObjects(migrations, Math.max(version, 1), inMemory); // no file is older
  const other = objects.find((object) => !isExpected(object, own));
  if (other !== undefined) throw foreign(path, other);
}

function objectsOf(database: DatabaseSyncInstance): readonly SchemaObject[] {
  return (database.prepare(OBJECTS).all() as unknown as SchemaObject[]).map(
    ({ type, name, on, sql }) => ({
      type,
      name: name.toLowerCase(),
      shown: escapeInvisible(JSON.stringify(shortText(name, 60))),
      on: on.toLowerCase(),
      sql: sql === null ? null : sql.replaceAll(SPACE, (_, quoted?: string) => quoted ?? " "),
    }),
  );
}

function isExpected({ type, name, on, sql }: SchemaObject, own: ReadonlyMap<string, string>) {
  const expected = own.get(name);
  if (expected !== undefined) return sql === expected;
  if (sql === null) return true;
  if (sql.length > LONGEST) return false;
  if (type === "table") return !EXPRESSION.test(sql);
  const [index, unique] = PLAIN_INDEX.exec(sql) ?? [];
  // one that is unique would refuse entries
  return index !== undefined && (unique === undefined || !own.has(on));
}

/** What each version of a list of migrations makes, by name. */
const known = new WeakMap<readonly string[], Map<number, ReadonlyMap<string, string>>>();

function ownObjects(
  migrations: readonly string[],
  version: number,
  inMemory: () => DatabaseSyncInstance,
): ReadonlyMap<string, string> {
  const versions = known.get(migrations) ?? new Map<number, ReadonlyMap<string, string>>();
  known.set(migrations, versions);
  const before = versions.get(version);
  if (before !== undefined) return before;
  const database = inMemory();
  try {
    createSchema(database, 0, migrations.slice(0, version));
    const made = new Map(
      objectsOf(database).flatMap(({ name, sql }) => (sql === null ? [] : [[name, sql] as const])),
    );
    versions.set(version, made);
    return made;
  } finally {
    database.close();
  }
}

function foreign(path: string, { type, name, shown, on, sql }: SchemaObject): HookporterError {
  const kind = sql?.startsWith("CREATE VIRTUAL") === true ? "virtual table" : type;
  const of = on === name ? "" : ` on ${escapeInvisible(shortText(on, 60))}`;
  return corrupt(path, `the ${kind} ${shown}${of}`);
}

function corrupt(path: string, got: string): HookporterError {
  return new HookporterError(
    "inbox_corrupt",
    `expected ${path} to have the tables that hookporter makes, got ${got} of another program, which was not run: use another inbox, or remove that with sqlite3`,
  );
}
