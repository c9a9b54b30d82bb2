import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { readPostgresOptions } from "../../../src/inbox/postgres/options.ts";
import {
  hasPassword,
  readPostgresUrl,
  shownPostgresUrl,
  withoutPassword,
} from "../../../src/inbox/postgres/postgres-url.ts";

const require = createRequire(createRequire(import.meta.url).resolve("pg"));
const { parse } = require("pg-connection-string") as { parse: (text: string) => Record<string, unknown> };

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

it.each(["p@ss:/word", "12/word", "pa/ss", "1#word", "p@ss/word", "12?word", "p@ss?word", "pa ss@?word"])(
  "no piece of the password %j is shown if it is not encoded",
  (password) => {
    const url = `postgres://app:${password}@db.example/app`;
    const pieces = password.split(/[^a-z0-9]/).filter((piece) => piece !== "");
    let message = "";
    try {
      readPostgresUrl(url);
    } catch (thrown) {
      message = (thrown as Error).message;
    }
    expect(message).toContain("encode special characters");
    for (const shown of [shownPostgresUrl(url), withoutPassword(url), message.replace("password", "")])
      for (const piece of pieces) expect(shown.split(/[^a-z0-9]/)).not.toContain(piece);
    expect(hasPassword(url)).toBe(true);
  },
);

it("says that several hosts are more than the client can do", () => {
  expect(() => readPostgresUrl("postgres://app:s3cret@a.example:5432,b.example:5432/app")).toThrow(
    "one host",
  );
});
