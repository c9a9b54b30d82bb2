import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import {
  hasPassword,
  isPostgresUrl,
  nameOf,
  namesNoUser,
  postgresPlace,
  readPostgresUrl,
  shownPostgresUrl,
  withoutPassword,
  withoutSchema,
} from "../../../src/inbox/postgres/postgres-url.ts";

const require = createRequire(createRequire(import.meta.url).resolve("pg"));
const { parse } = require("pg-connection-string") as {
  parse: (text: string) => Record<string, unknown>;
};

/** Addresses in the forms in which providers print them, with a password that is not one. */
it.each([
  "postgres://app:s3cret@/app?host=/cloudsql/project:europe-west1:main",
  "postgresql://app:s3cret@%2Fcloudsql%2Fproject%3Aeurope-west1%3Amain/app",
  "postgresql://app:s3cret@ep-cool-a1b2.aws.neon.tech/app?sslmode=require&channel_binding=require",
  "postgres://postgres.abcdefgh:s3cret@aws-0.pooler.supabase.com:6543/postgres?pgbouncer=true",
  "postgres://app:s3cret@main.abc.eu-central-1.rds.amazonaws.com:5432/app?sslmode=no-verify",
  "postgres://app%40main:s3cret@main.postgres.database.azure.com:5432/app?sslmode=require",
  "postgres://abcdefgh:s3cret@ec2-1-2-3-4.eu-west-1.compute.amazonaws.com:5432/d1a2b3",
  "postgres://app:s3cret@app-db.flycast:5432/app?sslmode=disable",
])("the URL %s of a provider is taken as it is printed", (url) => {
  const { connection, name, schema } = readPostgresOptions(
    `${url}${url.includes("?") ? "&" : "?"}schema=hooks`,
    {},
  );
  expect(connection).toBe(url);
  expect(schema).toBe("hooks");
  expect(hasPassword(url)).toBe(true);
  const { password, host, port, database, user } = parse(url);
  expect(password).toBe("s3cret");
  expect(parse(withoutPassword(url))).toMatchObject({ host, port, database, user });
  for (const shown of [name, shownPostgresUrl(url), withoutPassword(url)])
    expect(shown).not.toContain("s3cret");
});

it.each([
  "p@ss:/word",
  "12/word",
  "pa/ss",
  "1#word",
  "p@ss/word",
  "12?word",
  "p@ss?word",
  "pa ss@?word",
])("no piece of the password %j is shown if it is not encoded", (password) => {
  const url = `postgres://app:${password}@db.example/app`;
  const pieces = password.split(/[^a-z0-9]/).filter((piece) => piece !== "");
  let message = "";
  try {
    readPostgresUrl(url);
  } catch (thrown) {
    message = (thrown as Error).message;
  }
  expect(message).toContain("encode special characters");
  for (const shown of [
    shownPostgresUrl(url),
    withoutPassword(url),
    message.replace("password", ""),
  ])
    for (const piece of pieces) expect(shown.split(/[^a-z0-9]/)).not.toContain(piece);
  expect(hasPassword(url)).toBe(true);
});

it.each([
  ["postgres://db.test/app", true],
  ["postgresql://db.test/app", true],
  ["POSTGRES://db.test/app", true],
  ["postgres:/db.test", false],
  ["postgresqls://db.test/app", false],
  ["a postgres://db.test/app", false],
  ["inbox.db", false],
])("whether %j is a URL of a database: %s", (text, is) => {
  expect(isPostgresUrl(text)).toBe(is);
});

it.each([
  ["postgres://app@db.test/app", "postgres://app@db.test/app", "postgres://db.test/app"],
  ["postgres://db.test:5433/app", "postgres://db.test:5433/app", "postgres://db.test:5433/app"],
  [
    "postgres://app:s3cret@db.test/app?schema=h%C3%BCte&password=s3cret&x=y",
    "postgres://app@db.test/app",
    "postgres://db.test/app?schema=h%C3%BCte",
  ],
  [
    "postgres://app:s3cret@/app?host=/cloudsql/one",
    "postgres://app@/cloudsql/one/app",
    "postgres:///cloudsql/one/app",
  ],
  ["POSTGRESQL://app:s3cret@/app", "postgres://app@/app", "postgres:///app"],
])("%j is named %s in messages, and shown as %s", (text, name, shown) => {
  expect(nameOf(readPostgresUrl(text))).toBe(name);
  expect(shownPostgresUrl(text)).toBe(shown);
});

it.each([
  ["postgres://app:s3cret@db.test/app", true, "postgres://app@db.test/app"],
  ["postgres://app@db.test/app?password=s3cret&x=y", true, "postgres://app@db.test/app?x=y"],
  ["postgres://app:s3@/app?host=/sql/one", true, "postgres://app@/app?host=%2Fsql%2Fone"],
  ["postgres://app:s3@cret@x/y@db.test/app", true, ""],
  ["postgres://app:pass word@db test/app", true, ""],
  ["postgres://db.test/app?password=", true, "postgres://db.test/app"],
  ["postgres://db.test/app", false, "postgres://db.test/app"],
  ["postgres://app@db.test/app", false, "postgres://app@db.test/app"],
  ["postgres://a b/db", false, ""],
  ["inbox@home:s3cret.db", false, ""],
])("whether %j may hold a password: %s; without it, it is %j", (text, may, without) => {
  expect(hasPassword(text)).toBe(may);
  expect(withoutPassword(text)).toBe(without);
});

it.each([
  ["postgres://app:a@b,c@db.test/app#x", "encode special characters"],
  ["postgres://db.test/a@b", "encode special characters"],
  ["postgres://db.test/app?x@y", "encode special characters"],
  ["postgres://u:a,b@c.test/app#x", "encode special characters"],
  ["postgres://a.test/b,c#x", "encode special characters"],
  ["postgres://a.test?b,c#x", "encode special characters"],
  ["postgres://app:s3cret@a.example:5432,b.example:5432/app", "one host"],
  ["postgres://a.test,b.test/app#x", "one host"],
  ["postgres://u:p@a.test,b.test?x#y", "one host"],
])("%j is no URL of one database: %s", (text, fix) => {
  expect(() => readPostgresUrl(text)).toThrow(fix);
});

it.each([
  ["postgres://a/b?schema=c", "postgres://a/b"],
  ["postgres://a/b?schema=c&x=y", "postgres://a/b?x=y"],
  ["postgres://a/b?x=y&schema=c", "postgres://a/b?x=y"],
  ["postgres://a/b?x=y&schema=c&z=1", "postgres://a/b?x=y&z=1"],
  ["postgres://a/b?xschema=c", "postgres://a/b?xschema=c"],
  ["postgres://a/b?schema=", "postgres://a/b"],
  ["postgres://a/b", "postgres://a/b"],
])("%s goes to the client as %s", (text, without) => {
  expect(withoutSchema(text)).toBe(without);
});

it.each([
  ["postgres://app:pw@db/app", "postgres://other@DB:5432/app?schema=hookporter"],
  ["postgres:///app?host=/run/pg", "postgres:///app?host=/run/pg&schema=hookporter"],
  ["postgres://db/app?schema=hooks", "postgres://db/app?schema=hooks&sslmode=require"],
])("%s and %s are one inbox", (one, other) => {
  expect(postgresPlace(one)).toBe(postgresPlace(other));
  expect(postgresPlace(one)).not.toContain("pw");
});

it("another host, port, database, schema or socket is another inbox", () => {
  const places = [
    "postgres://db/app",
    "postgres://db2/app",
    "postgres://db:6543/app",
    "postgres://db/app2",
    "postgres://db/app?schema=hooks",
    "postgres:///app?host=/run/pg",
    "postgres:///app?host=/run/pg:5432",
  ].map(postgresPlace);
  expect(new Set(places).size).toBe(places.length);
  expect(places[0]).toBe("postgres://db:5432/app?schema=hookporter");
  expect(places[5]).toBe("postgres:///run/pg/app?schema=hookporter");
  expect(postgresPlace("not a URL")).toBeUndefined();
});

it.each([
  ["postgres://db/app", true],
  ["postgres://app@db/app", false],
  ["postgres://:pw@db/app", false],
  ["postgres://db/app?password=pw", false],
  ["not a URL", false],
])("%s names neither user nor password: %s", (url, expected) => {
  expect(namesNoUser(url)).toBe(expected);
});
