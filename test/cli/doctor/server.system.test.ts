import { expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, keep, numberedEntry } from "../../inbox/entries.ts";
import { NO_POOLER, startPooler } from "../../inbox/postgres/server.ts";
import { keptLog, SECRET } from "../../receiver/sample.ts";
import { runCli } from "../fake-io.ts";
import { describeOnServer } from "../inbox/on-server.ts";
import { type Fault, plantAndFix } from "./fault.ts";
import { diagnose, openPlace, type Place, writeEnvFile } from "./place.ts";
import { expectTrouble, report, trouble } from "./trouble.ts";

// Nothing is vacuumed in the middle of a test.
const SETTINGS = { autovacuum_naptime: "3600" };

describeOnServer("doctor on an inbox on PostgreSQL", SETTINGS, (onServer) => {
  const { server, admin, newSchema, urlOf } = onServer;
  const schemaOf = ({ env }: Place) =>
    new URL(env.HOOKPORTER_INBOX ?? "").searchParams.get("schema") ?? "";
  const use = (place: Place, url: string) => {
    place.env.HOOKPORTER_INBOX = url;
  };
  const run = async (argv: readonly string[], url: string) => {
    const { code, stderr } = await runCli(argv, { env: { HOOKPORTER_INBOX: url } });
    expect(code, stderr).toBe(0);
  };
  const open = async () => {
    const place = await openPlace();
    const schema = newSchema();
    await opened(schema, async () => {});
    use(place, urlOf(schema));
    return place;
  };
  const opened = async (
    schema: string,
    work: (inbox: ReturnType<typeof postgresStore>) => Promise<unknown>,
  ) => {
    const inbox = postgresStore(server.url, { schema });
    await inbox.open();
    await work(inbox).finally(() => inbox.close());
  };
  /** A user without rights; ends with the test. */
  const newUser = async () => {
    const name = `doctor_${process.pid}_${Math.floor(Math.random() * 1e6)}`;
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'app'`);
    onTestFinished(
      async () => void (await admin.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)),
    );
    return { username: name, password: "app" };
  };
  /** Adds this many entries that wait until a time. */
  const fill = (schema: string, count: number, runAt: number) =>
    admin.query(
      `INSERT INTO ${schema}.turn (seq, key_timestamp, received_at, dated, source, behind, run_at, attempts, finished_handlers)
       SELECT n, 0, 0, 0, 's', false, ${runAt}, 0, '[]' FROM generate_series(1, ${count}) n`,
    );
  const migrateFor = (schema: string, fix: string) => {
    const [, flags = ""] =
      /^run `hookporter (inbox migrate --grant-to \S+)` as a user/.exec(fix) ?? [];
    return run(flags.split(" "), urlOf(schema));
  };

  const FAULTS: readonly Fault[] = [
    {
      title: "a database that cannot hold every text",
      plant: async (place) => {
        const name = `ascii_${process.pid}`;
        await admin.query(
          `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
        );
        onTestFinished(async () => void (await admin.query(`DROP DATABASE ${name}`)));
        const url = Object.assign(new URL(server.url), { pathname: `/${name}` });
        place.argv.push("--inbox", url.href);
      },
      found: { check: "database", status: "fail", message: /the encoding SQL_ASCII/ },
      fix: /ENCODING 'UTF8'/,
      follow: (place) => place.argv.splice(-2, 2),
    },
    {
      title: "tables that are missing, with a user who may not make them",
      plant: async (place) => use(place, urlOf(newSchema(), await newUser())),
      found: {
        check: "tables",
        status: "fail",
        message: /there are none in the schema .*may not create them/,
      },
      fix: /^run `hookporter inbox migrate --grant-to doctor_\S+` as a user who may create a schema$/,
      follow: (place, fix) => migrateFor(schemaOf(place), fix),
    },
    {
      title: "rights that the user lacks",
      plant: async (place) => {
        const schema = schemaOf(place);
        const user = await newUser();
        await run(["inbox", "migrate", "--grant-to", user.username], urlOf(schema));
        await admin.query(`REVOKE UPDATE ON ${schema}.turn FROM ${user.username}`);
        use(place, urlOf(schema, user));
      },
      found: {
        check: "tables",
        status: "fail",
        message: /lacks rights in the schema \S+: UPDATE on turn$/,
      },
      fix: /^run `hookporter inbox migrate --grant-to/,
      follow: (place, fix) => migrateFor(schemaOf(place), fix),
    },
    {
      title: "autovacuum that is off for the busiest table",
      plant: (place) =>
        admin.query(`ALTER TABLE ${schemaOf(place)}.turn SET (autovacuum_enabled = false)`),
      found: { check: "tables", status: "warn", message: /autovacuum is off for \S+\.turn/ },
      fix: /^ALTER TABLE \S+\.turn RESET \(autovacuum_enabled\)$/,
      follow: (_, fix) => admin.query(fix),
    },
    {
      title: "a planner that believes that nothing waits",
      plant: async (place) => {
        const schema = schemaOf(place);
        await fill(schema, 6000, 4_102_444_800_000);
        await admin.query(`DELETE FROM ${schema}.turn`);
        await admin.query(`VACUUM (TRUNCATE false) ${schema}.turn`);
        await fill(schema, 6000, 4_102_444_800_000);
      },
      found: {
        check: "tables",
        status: "warn",
        message: /believes that \S+\.turn has 1 row, but it has 6000$/,
      },
      fix: /^ANALYZE \S+\.turn$/,
      follow: (_, fix) => admin.query(fix),
    },
    {
      title: "a setting of the role that hurts",
      plant: async (place) => {
        use(place, `${urlOf(schemaOf(place))}&options=-cenable_indexscan%3Doff`);
      },
      found: { check: "database", status: "warn", message: /^enable_indexscan = off makes/ },
      fix: /^ALTER ROLE postgres SET enable_indexscan = DEFAULT$/,
      follow: async (place) => use(place, urlOf(schemaOf(place))),
    },
    {
      title: "dead rows that nothing removed",
      plant: async (place) => {
        const schema = schemaOf(place);
        await fill(schema, 110_000, 0);
        await admin.query(`DELETE FROM ${schema}.turn`);
        await expect
          .poll(async () => (await diagnose(place)).wrong.length, { timeout: 10_000 })
          .toBe(1);
      },
      found: { check: "tables", status: "warn", message: /^110000 dead rows make claims slow$/ },
      fix: /^VACUUM \S+\.turn$/,
      follow: (_, fix) => admin.query(fix),
    },
  ];

  const POOLER: Fault = {
    title: "a pooler in transaction mode",
    plant: async (place) => {
      const pooler = await startPooler(server);
      onTestFinished(() => pooler.stop());
      const search = `schema=${schemaOf(place)}`;
      place.argv.push("--inbox", Object.assign(new URL(pooler.url), { search }).href);
    },
    found: { check: "database", status: "warn", message: /pooler in transaction mode/ },
    fix: /^name the server itself in --inbox/,
    follow: (place) => place.argv.splice(-2, 2),
  };
  const planted = NO_POOLER === undefined ? FAULTS.concat(POOLER) : FAULTS;

  it("finds nothing wrong, and makes no schema", async () => {
    expect((await diagnose(await open())).wrong).toEqual([]);
    const place = await openPlace();
    use(place, urlOf("never_made"));
    expect((await diagnose(place)).wrong).toEqual([]);
    const { rows } = await admin.query("SELECT FROM pg_namespace WHERE nspname = 'never_made'");
    expect(rows).toEqual([]);
  });

  it("reports on one page what an incident's channel needs, without a payload or the password", async () => {
    const place = await open();
    const user = await newUser();
    await run(["inbox", "migrate", "--grant-to", user.username], place.env.HOOKPORTER_INBOX ?? "");
    use(place, urlOf(schemaOf(place), user));
    writeEnvFile(place, `HOOKPORTER_SECRET=${SECRET}\n`);
    await trouble(place.env.HOOKPORTER_INBOX ?? "", 20 * 60_000);
    const found = await report(place);
    expectTrouble(found);
    expect([...new Set(found.findings.map(({ check }) => check))]).toEqual([
      "time",
      "node",
      "secret",
      "database",
      "tables",
      "processes",
      "signatures",
      "entries",
      "dead letters",
      "changes",
    ]);
    expect(found.of("database")[0]).toMatch(/PostgreSQL 1\d/);
    expect(found.text).not.toMatch(/:app@/);
  });

  it("reports for how long the oldest entry on a server has been due, and the processes that started", async () => {
    const place = await open();
    await opened(schemaOf(place), (inbox) =>
      keep(inbox, numberedEntry(1, Date.now() - 20 * 60_000 - AT)),
    );
    const inbox = place.env.HOOKPORTER_INBOX ?? "";
    const receiver = createReceiver({
      secret: SECRET,
      inbox,
      role: "receive",
      log: keptLog().log,
    });
    await receiver.start();
    onTestFinished(() => receiver.close());
    const { of } = await report(place);
    expect(of("entries")[0]).toMatch(
      /^1 unfinished, 1 due, the oldest: .*\(20 min ago\); 0 dead letters$/,
    );
    expect(of("processes")[0]).toMatch(/^1 process uses the inbox/);
    expect(of("changes")[0]).toMatch(/ a process started \(role receive, version /);
  });

  it.each(planted.map((fault) => [fault.title, fault] as const))(
    "finds %s, and nothing else, and its fix works",
    async (_, fault) => {
      await plantAndFix(fault, open);
    },
  );
});
