import { PGlite } from "@electric-sql/pglite";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { examineDatabase } from "../../../src/inbox/postgres/examine.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { openSchemaTransfer } from "../../../src/inbox/postgres/transfer.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { copyInbox } from "../../../src/inbox/transfer/copy.ts";
import { until } from "../../receiver/sample.ts";
import { describeInbox } from "../contract.ts";
import { keep, numberedEntry, sampleRunner } from "../entries.ts";
import { fillEveryState } from "../transfer/every-state.ts";
import { emptied, emptySql } from "./pglite.ts";
import { servePglite } from "./pglite-server.ts";

const TYPES = [
  "int2",
  "int4",
  "int8",
  "float8",
  "numeric",
  "text",
  "varchar",
  "name",
  '"char"',
  "bool",
  "bytea",
  "json",
  "jsonb",
  "oid",
  "int4[]",
  "int8[]",
  "text[]",
  "timestamptz",
  "interval",
  "float4",
  "uuid",
  "regclass",
  "regnamespace",
];
const OPERATORS = "= <> < <= > >= + - * / % || -> ->> ~ ~* && @> <@".split(" ");
/** Names that calls without a schema would find: those that the inbox calls, and keywords' too. */
const CALLED =
  `array_agg array_position array_to_json bool_or cardinality coalesce concat convert_from
  count current_schemas current_setting decode encode floor format greatest hashtextextended json_agg
  json_array_elements json_array_elements_text json_build_object json_each json_to_recordset jsonb_agg
  jsonb_array_elements_text jsonb_each_text jsonb_object_agg left length lower max min nextval
  pg_advisory_lock pg_advisory_xact_lock pg_notify pg_relation_size pg_total_relation_size
  pg_try_advisory_xact_lock_shared position right round row_number row_to_json setval set_config
  starts_with string_agg strpos substr sum to_json to_jsonb to_timestamp unnest upper`.split(/\s+/);

/**
 * In the schema `public`, which every session searches: all operators and functions that fit better
 * than PostgreSQL's own, with a result that fits nowhere.
 */
const TRAPS = `
  CREATE TYPE public.trap AS ENUM ('trapped');
  DO $$
  DECLARE l text; r text; o text; f text; types text[] := ARRAY[${TYPES.map((type) => `'${type}'`)}];
  BEGIN
    FOREACH l IN ARRAY types LOOP
      FOREACH f IN ARRAY ARRAY[${CALLED.map((name) => `'${name}'`)}] LOOP
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS public.trap LANGUAGE plpgsql AS ''BEGIN RAISE ''''trapped''''; END''', f, l);
      END LOOP;
      FOREACH r IN ARRAY types LOOP
        EXECUTE format('CREATE FUNCTION public.trapped(%s, %s) RETURNS public.trap LANGUAGE plpgsql AS ''BEGIN RAISE ''''trapped''''; END''', l, r);
        FOREACH o IN ARRAY ARRAY[${OPERATORS.map((name) => `'${name}'`)}] LOOP
          IF NOT EXISTS (SELECT FROM pg_operator WHERE oprname = o AND oprleft = l::regtype AND oprright = r::regtype) THEN
            EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.trapped)', o, l, r);
          END IF;
        END LOOP;
        CONTINUE WHEN NOT r = ANY ('{text,int4,int8,float8,jsonb}');
        FOREACH f IN ARRAY ARRAY[${CALLED.map((name) => `'${name}'`)}] LOOP
          EXECUTE format('CREATE FUNCTION public.%I(%s, %s) RETURNS public.trap LANGUAGE plpgsql AS ''BEGIN RAISE ''''trapped''''; END''', f, l, r);
        END LOOP;
      END LOOP;
    END LOOP;
  END $$`;

const database = new PGlite();
const first = postgresStore(database);
await database.exec(TRAPS);
await first.open();
await first.close();
const empty = async () => void (await database.exec(emptySql("hookporter").join(";")));

describeInbox("the PostgreSQL inbox, among operators and functions of others,", () =>
  emptied(postgresStore(database), empty),
);

it("an inbox among them is shared, examined and copied", async () => {
  await empty();
  const { url } = await servePglite(database, onTestFinished);
  const inbox = postgresStore(url);
  await inbox.open();
  onTestFinished(() => inbox.close());
  await inbox.register(sampleRunner({ id: "one" }), Date.now());
  await until(() => expect(inbox.supportsNotify).toBe(true));
  const other = postgresStore(url);
  await other.open();
  onTestFinished(() => other.close());
  await other.register(sampleRunner({ id: "two" }), Date.now());
  await keep(inbox, numberedEntry(1));
  await inbox.runners();
  expect(await examineDatabase(url)).toMatchObject({ lacks: [], tables: { waiting: 1 } });
  await other.close();
  await inbox.close();
  await empty();
  const full = postgresStore(database);
  await full.open();
  await fillEveryState(full);
  await full.close();
  const transfer = async (schema: string, access: "read" | "own") => {
    const terms = readPostgresOptions(database, { schema });
    return openSchemaTransfer(new Store(await connect(terms), terms), access);
  };
  const copied = await copyInbox(
    await transfer("hookporter", "read"),
    await transfer("copied", "own"),
  );
  expect(copied).toMatchObject({ entries: 9 });
});
