import { execFileSync } from "node:child_process";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrateSchema } from "../../../src/inbox/postgres/care.ts";
import { migrationSql } from "../../../src/inbox/postgres/migrations.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { diagnose, openPlace } from "../../cli/doctor/place.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { keep, numberedEntry } from "../entries.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER, serverPrograms } from "./server.ts";

const REFUSED = { code: "inbox_unavailable" };

describe("a schema on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin } = await openServer();
  let made = 0;

  /**
   * A database with three users: `evil` and `victim` may create schemas in it, `low` may not. What
   * runs by the hand of `evil` notes as whom in a table that only `evil` reads.
   */
  const newDatabase = async () => {
    const [database, victim, evil, low] = ["base", "victim", "evil", "low"].map(
      (word) => `${word}_${process.pid}_${made}`,
    ) as [string, string, string, string];
    made++;
    await admin.query(
      [victim, evil, low].map((role) => `CREATE ROLE ${role} LOGIN PASSWORD 'app'`).join(";"),
    );
    await admin.query(`CREATE DATABASE ${database}`);
    await admin.query(`GRANT CREATE ON DATABASE ${database} TO ${victim}, ${evil}`);
    onTestFinished(async () => {
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
      await admin.query(`DROP ROLE ${victim}, ${evil}, ${low}`);
    });
    const urlOf = (role: string) =>
      Object.assign(new URL(server.url), {
        username: role,
        password: "app",
        pathname: `/${database}`,
      }).href;
    const as = async (role: string, sql: string) => {
      const client = new pg.Client({ connectionString: urlOf(role) });
      await client.connect();
      try {
        return (await client.query(sql)).rows ?? [];
      } finally {
        await client.end();
      }
    };
    await as(
      evil,
      `CREATE SCHEMA lair; GRANT USAGE ON SCHEMA lair TO PUBLIC;
       CREATE TABLE lair.ran (by_whom text); GRANT INSERT ON lair.ran TO PUBLIC;
       CREATE FUNCTION lair.note() RETURNS int LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO lair.ran VALUES (current_user); RETURN 1; END $$;
       CREATE FUNCTION lair.still(n text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO lair.ran VALUES (current_user); RETURN n; END $$;
       CREATE FUNCTION lair.trap() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO lair.ran VALUES (current_user); RETURN NEW; END $$;
       CREATE DOMAIN lair.number AS int CHECK (lair.note() = 1);
       CREATE TABLE lair.other (seq bigint PRIMARY KEY)`,
    );
    const superuser = new URL(server.url).username;
    return { database, victim, evil, low, superuser, urlOf, as };
  };
  type Base = Awaited<ReturnType<typeof newDatabase>>;

  /** Opens an inbox to receive, and keeps an event. */
  const start = async (url: string, options = {}) => {
    const inbox = postgresStore(url, options);
    onTestFinished(() => inbox.close());
    await inbox.open();
    return keep(inbox, numberedEntry(1));
  };

  /** What `doctor` finds wrong with the database and the tables. */
  const doctor = async (url: string) => {
    const place = await openPlace();
    place.env.HOOKPORTER_INBOX = url;
    const { findings } = await diagnose(place);
    return findings.filter(
      ({ check, status }) => status !== "ok" && /^(?:database|tables)$/.test(check),
    );
  };

  /** Every way in is refused, says what is there and whose, and nothing of `evil` ran. */
  const expectRefused = async ({ urlOf, as, evil }: Base, user: string, what: RegExp) => {
    const message = expect.stringMatching(what);
    const refused = { ...REFUSED, message };
    await expect(migrateSchema(urlOf(user), undefined)).rejects.toMatchObject(refused);
    await expect(start(urlOf(user))).rejects.toMatchObject(refused);
    await expect(start(urlOf(user), { migrate: "check" })).rejects.toMatchObject(refused);
    expect(await doctor(urlOf(user))).toContainEqual(
      expect.objectContaining({ check: "database", message }),
    );
    expect(await as(evil, "SELECT * FROM lair.ran")).toEqual([]);
  };

  const WHOLE = migrationSql("hookporter", 0);
  const CREATE = "CREATE SCHEMA hookporter; GRANT ALL ON SCHEMA hookporter TO PUBLIC;";
  const MIGRATION =
    "CREATE TABLE hookporter.migration (version int PRIMARY KEY, breaking boolean NOT NULL, applied_at timestamptz NOT NULL);";
  const GRANT = "GRANT ALL ON ALL TABLES IN SCHEMA hookporter TO PUBLIC";

  it.each([
    ["alone", CREATE, /got "schema hookporter", owned by "evil_\d+_\d+", of which "/],
    [
      "with the table of versions and a trigger",
      `${CREATE} ${MIGRATION} ${GRANT};
       CREATE TRIGGER trap BEFORE INSERT ON hookporter.migration FOR EACH ROW EXECUTE FUNCTION lair.trap()`,
      /owned by "evil_/,
    ],
    [
      "with a view in place of the table of versions",
      `${CREATE} CREATE VIEW hookporter.migration AS SELECT lair.note() AS version, false AS breaking; ${GRANT}`,
      /owned by "evil_/,
    ],
    [
      "as a whole",
      `${WHOLE} GRANT ALL ON SCHEMA hookporter TO PUBLIC; ${GRANT}`,
      /owned by "evil_/,
    ],
  ])("that another user has made %s is refused", async (_, sql, what) => {
    const base = await newDatabase();
    await base.as(base.evil, sql);
    await expectRefused(base, base.victim, what);
    await expectRefused(base, base.superuser, what);
  });

  it.each([
    ["CREATE TABLE hookporter.turn (seq bigint)", /"table hookporter.turn"/],
    ["CREATE SEQUENCE hookporter.seq", /"sequence hookporter.seq"/],
    ["CREATE VIEW hookporter.migration AS SELECT lair.note() AS version", /"view hookporter/],
  ])("of the user's own in which another has run %s is refused", async (sql, what) => {
    const base = await newDatabase();
    await base.as(base.victim, CREATE);
    await base.as(base.evil, sql);
    await expectRefused(base, base.victim, what);
  });

  const CODE: readonly (readonly [what: string, sql: string, shown: RegExp])[] = [
    [
      "a trigger",
      "CREATE TRIGGER trap BEFORE INSERT ON hookporter.entry FOR EACH ROW EXECUTE FUNCTION lair.trap()",
      /"trigger trap on hookporter.entry", owned by "evil_/,
    ],
    [
      "a trigger on the table of versions",
      "CREATE TRIGGER trap BEFORE INSERT ON hookporter.migration FOR EACH ROW EXECUTE FUNCTION lair.trap()",
      /"trigger trap on/,
    ],
    [
      "a rule",
      "CREATE RULE trap AS ON INSERT TO hookporter.turn DO ALSO SELECT lair.note()",
      /"rule trap on hookporter.turn"/,
    ],
    [
      "a policy",
      `CREATE POLICY trap ON hookporter.migration USING (lair.note() = 1);
       ALTER TABLE hookporter.migration ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
      /"policy trap on hookporter.migration"/,
    ],
    [
      "a default that calls a function",
      "ALTER TABLE hookporter.turn ALTER COLUMN reason SET DEFAULT lair.still('x')",
      /"default value for hookporter.turn.reason"/,
    ],
    [
      "a default that runs a text",
      "ALTER TABLE hookporter.turn ALTER COLUMN reason SET DEFAULT query_to_xml('SELECT lair.note()', true, true, '')::text",
      /"default value for hookporter.turn.reason"/,
    ],
    [
      "a check",
      "ALTER TABLE hookporter.turn ADD CONSTRAINT trap CHECK (lair.note() = 1)",
      /"table constraint trap on hookporter.turn"/,
    ],
    [
      "a check that runs a text",
      "ALTER TABLE hookporter.turn ADD CONSTRAINT trap CHECK (query_to_xml('SELECT lair.note()', true, true, '') IS NOT NULL)",
      /"table constraint trap on/,
    ],
    [
      "a generated column",
      "ALTER TABLE hookporter.turn ADD COLUMN trap text GENERATED ALWAYS AS (lair.still(source)) STORED",
      /hookporter.turn.trap"/,
    ],
    [
      "an index on an expression",
      "CREATE INDEX trap ON hookporter.turn (lair.still(source))",
      /"index hookporter.trap"/,
    ],
    [
      "an index of some rows",
      "CREATE INDEX trap ON hookporter.turn (seq) WHERE lair.still(source) = 'a'",
      /"index hookporter.trap"/,
    ],
    [
      "a column of a domain",
      "ALTER TABLE hookporter.turn ADD COLUMN trap lair.number",
      /"table column hookporter.turn.trap"/,
    ],
    [
      "a table that inherits it",
      "CREATE TABLE lair.child () INHERITS (hookporter.entry)",
      /"table lair.child"/,
    ],
    [
      "a foreign key",
      "ALTER TABLE hookporter.turn ADD CONSTRAINT trap FOREIGN KEY (seq) REFERENCES lair.other",
      /"table constraint trap on hookporter.turn"/,
    ],
    [
      "a foreign key of another table",
      "ALTER TABLE lair.other ADD CONSTRAINT trap FOREIGN KEY (seq) REFERENCES hookporter.entry ON DELETE CASCADE",
      /"table constraint trap on lair.other", owned by "evil_/,
    ],
    [
      "a view in place of a table",
      "ALTER TABLE hookporter.turn RENAME TO old; CREATE VIEW hookporter.turn AS SELECT *, lair.note() FROM hookporter.old",
      /"view hookporter.turn"/,
    ],
    [
      "a partitioned table in place of a table",
      "DROP TABLE hookporter.repeat; CREATE TABLE hookporter.repeat (seq bigint) PARTITION BY RANGE (seq)",
      /"table hookporter.repeat"/,
    ],
  ];

  it.each(CODE)("of the user's own is refused with %s", async (_, sql, shown) => {
    const base = await newDatabase();
    const { victim, low, database, superuser } = base;
    await migrateSchema(base.urlOf(victim), low);
    await base.as(superuser, sql);
    await base.as(
      superuser,
      `DO $$ DECLARE r record; BEGIN FOR r IN SELECT oid::regclass AS name FROM pg_class
         WHERE relnamespace = 'hookporter'::regnamespace AND relkind IN ('r', 'v', 'p') LOOP
         EXECUTE format('ALTER TABLE %s OWNER TO ${victim}', r.name);
         EXECUTE format('GRANT ALL ON %s TO ${low}', r.name); END LOOP; END $$`,
    );
    await base.as(base.evil, "DELETE FROM lair.ran");
    await expectRefused(base, victim, shown);
    await expect(start(base.urlOf(low), { migrate: "check" })).rejects.toMatchObject(REFUSED);
    expect(await base.as(base.evil, "SELECT * FROM lair.ran")).toEqual([]);
    expect(database).toBeDefined();
  });

  describe("is used", () => {
    it("if it was made by an administrator, empty, for the user or with grants to it", async () => {
      for (const sql of [
        (victim: string) => `CREATE SCHEMA hookporter AUTHORIZATION ${victim}`,
        (victim: string) =>
          `CREATE SCHEMA hookporter; GRANT ALL ON SCHEMA hookporter TO ${victim} WITH GRANT OPTION`,
      ]) {
        const { as, superuser, victim, low, urlOf, database } = await newDatabase();
        await as(superuser, `REVOKE CREATE ON DATABASE ${database} FROM ${victim}`);
        await as(superuser, sql(victim));
        expect(await migrateSchema(urlOf(victim), low)).toMatchObject({ from: 0, to: 1 });
        await start(urlOf(victim));
        expect(await start(urlOf(low))).toMatchObject({ duplicate: true });
        expect(await doctor(urlOf(low))).toEqual([]);
      }
    });

    it("by a member of its owner, and by the owner if a member made the tables", async () => {
      const { as, superuser, victim, low, urlOf } = await newDatabase();
      await as(superuser, `GRANT ${victim} TO ${low}`);
      await as(victim, "CREATE SCHEMA hookporter");
      await start(urlOf(low)); // its tables are those of low
      await as(low, `GRANT ALL ON ALL TABLES IN SCHEMA hookporter TO ${victim}`);
      await as(low, `GRANT ALL ON ALL SEQUENCES IN SCHEMA hookporter TO ${victim}`);
      await start(urlOf(victim));
      expect(await migrateSchema(urlOf(victim), undefined)).toMatchObject({ from: 1, to: 1 });
    });

    it("by a superuser and an administrator who may become its owner", async () => {
      const { as, superuser, victim, evil, low, urlOf } = await newDatabase();
      await as(superuser, `GRANT ${victim} TO ${low}`);
      await as(victim, "SELECT 1");
      await migrateSchema(urlOf(superuser), victim);
      for (const user of [superuser, victim]) await start(urlOf(user));
      await expect(start(urlOf(evil))).rejects.toMatchObject(REFUSED); // lacks the rights
    });

    it("with an index that its owner added", async () => {
      const { as, victim, urlOf } = await newDatabase();
      await migrateSchema(urlOf(victim), undefined);
      await as(
        victim,
        `CREATE INDEX mine ON hookporter.entry (kind, received_at);
         CREATE INDEX lowered ON hookporter.entry (lower(kind)) WHERE kind IS NOT NULL`,
      );
      await start(urlOf(victim));
      expect(await doctor(urlOf(victim))).toEqual([]);
    });

    it("by the user who restored a dump of it, without its owner", async () => {
      const from = await newDatabase();
      const to = await newDatabase();
      await migrateSchema(from.urlOf(from.victim), from.low);
      await start(from.urlOf(from.victim));
      const file = join(tempFolder(), "inbox.dump");
      const run = (program: string, ...args: readonly string[]) =>
        execFileSync(join(serverPrograms() ?? "", program), args);
      run(
        "pg_dump",
        "--schema",
        "hookporter",
        "--format",
        "custom",
        "--file",
        file,
        from.urlOf(from.superuser),
      );
      run("pg_restore", "--no-owner", "--no-privileges", "--dbname", to.urlOf(to.victim), file);
      expect(await start(to.urlOf(to.victim))).toMatchObject({ duplicate: true });
      expect(await doctor(to.urlOf(to.victim))).toEqual([]);
    });

    it("through a pool of the app's", async () => {
      const { low, victim, urlOf } = await newDatabase();
      await migrateSchema(urlOf(victim), low);
      const pool = new pg.Pool({ connectionString: urlOf(low) });
      pool.on("error", () => {}); // its database is dropped
      onTestFinished(() => pool.end());
      const inbox = postgresStore(pool, { migrate: "check" });
      await inbox.open();
      await keep(inbox, numberedEntry(1));
      await inbox.close();
    });
  });

  it("is refused if another one is searched before pg_catalog", async () => {
    const { as, superuser, victim, database, urlOf } = await newDatabase();
    await as(
      superuser,
      `ALTER ROLE ${victim} IN DATABASE ${database} SET search_path = public, pg_catalog`,
    );
    await expect(start(urlOf(victim))).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringMatching(/search_path .* got "public": remove pg_catalog/),
    });
  });
});
