import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import {
  hasPassword,
  isPostgresUrl,
  nameOf,
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
  [
    "Cloud SQL, by its socket",
    "postgres://app:s3cret@/app?host=/cloudsql/project:europe-west1:main",
    "/cloudsql/project:europe-west1:main",
  ],
  [
    "Cloud SQL, encoded",
    "postgresql://app:s3cret@%2Fcloudsql%2Fproject%3Aeurope-west1%3Amain/app",
    "/cloudsql/project:europe-west1:main",
  ],
  [
    "Neon",
    "postgresql://app:s3cret@ep-cool-sea-a1b2.eu-central-1.aws.neon.tech/app?sslmode=require&channel_binding=require",
    "ep-cool-sea-a1b2.eu-central-1.aws.neon.tech",
  ],
  [
    "Neon, pooled",
    "postgresql://app:s3cret@ep-cool-sea-a1b2-pooler.eu-central-1.aws.neon.tech/app?sslmode=require",
    "ep-cool-sea-a1b2-pooler.eu-central-1.aws.neon.tech",
  ],
  [
    "Supabase, direct",
    "postgresql://postgres:s3cret@db.abcdefgh.supabase.co:5432/postgres",
    "db.abcdefgh.supabase.co",
  ],
  [
    "Supabase, session pooler",
    "postgres://postgres.abcdefgh:s3cret@aws-0-eu-central-1.pooler.supabase.com:5432/postgres",
    "aws-0-eu-central-1.pooler.supabase.com",
  ],
  [
    "Supabase, transaction pooler",
    "postgres://postgres.abcdefgh:s3cret@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?pgbouncer=true",
    "aws-0-eu-central-1.pooler.supabase.com",
  ],
  [
    "Amazon RDS",
    "postgres://app:s3cret@main.abc.eu-central-1.rds.amazonaws.com:5432/app?sslmode=no-verify",
    "main.abc.eu-central-1.rds.amazonaws.com",
  ],
  [
    "Azure",
    "postgres://app%40main:s3cret@main.postgres.database.azure.com:5432/app?sslmode=require",
    "main.postgres.database.azure.com",
  ],
  [
    "Heroku",
    "postgres://abcdefgh:s3cret@ec2-1-2-3-4.eu-west-1.compute.amazonaws.com:5432/d1a2b3",
    "ec2-1-2-3-4.eu-west-1.compute.amazonaws.com",
  ],
  ["Fly", "postgres://app:s3cret@app-db.flycast:5432/app?sslmode=disable", "app-db.flycast"],
  [
    "DigitalOcean",
    "postgresql://doadmin:s3cret@db-do-user-1-0.b.db.ondigitalocean.com:25060/defaultdb?sslmode=require",
    "db-do-user-1-0.b.db.ondigitalocean.com",
  ],
])("the URL of %s is taken as it is printed", (_, url, host) => {
  const { connection, name, schema } = readPostgresOptions(
    `${url}${url.includes("?") ? "&" : "?"}schema=hooks`,
    {},
  );
  expect(connection).toBe(url);
  expect(parse(String(connection))).toMatchObject({ host, password: "s3cret" });
  expect(schema).toBe("hooks");
  expect(hasPassword(url)).toBe(true);
  expect(parse(withoutPassword(url))).toMatchObject({ host });
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

it("says that several hosts are more than the client can do", () => {
  expect(() => readPostgresUrl("postgres://app:s3cret@a.example:5432,b.example:5432/app")).toThrow(
    "one host",
  );
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
  ["postgres://app:s3cret@db.test/app", "postgres://app@db.test/app"],
  ["postgres://app@db.test/app?password=s3cret&x=y", "postgres://app@db.test/app?x=y"],
  ["postgres://app:s3cret@/app?host=/cloudsql/one", "postgres://app@/app?host=%2Fcloudsql%2Fone"],
  ["postgres://app:s3@cret@x/y@db.test/app", ""],
  ["postgres://a b/db", ""],
])("%j without its password is %j", (text, without) => {
  expect(hasPassword(text)).toBe(text.includes("s3"));
  expect(withoutPassword(text)).toBe(without);
});

it.each([
  ["postgres://db.test/app", false],
  ["postgres://app@db.test/app", false],
  ["postgres://a b/db", false],
  ["postgres://app:pass word@db test/app", true],
  ["postgres://db.test/app?password=", true],
  ["inbox@home:s3cret.db", false],
])("whether %j may hold a password: %s", (text, may) => {
  expect(hasPassword(text)).toBe(may);
});

it.each([
  "postgres://app:a@b,c@db.test/app#x",
  "postgres://db.test/a@b",
  "postgres://db.test/app?x@y",
])("%j is no URL of one database unless it is encoded", (text) => {
  expect(() => readPostgresUrl(text)).toThrow("encode special characters");
});

it("several hosts are told from commas elsewhere", () => {
  for (const text of ["postgres://a.test,b.test/app#x", "postgres://u:p@a.test,b.test?x#y"])
    expect(() => readPostgresUrl(text)).toThrow("one host");
  for (const text of [
    "postgres://u:a,b@c.test/app#x",
    "postgres://a.test/b,c#x",
    "postgres://a.test?b,c#x",
  ])
    expect(() => readPostgresUrl(text)).toThrow("encode special characters");
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
