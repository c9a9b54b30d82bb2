import { describe, expect, it } from "vitest";
import { openServer } from "../../inbox/postgres/schemas.ts";
import { NO_SERVER } from "../../inbox/postgres/server.ts";
import { closedPort } from "../../tunnel/machine.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

const CANARY = "canary";

describe("the commands, on a database,", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();
  await import("../../../src/cli/listen/listen.ts"); // slow for the first time
  const urlOf = (schema: string, parts: Partial<URL> = {}) => {
    const url = Object.assign(new URL(server.url), parts);
    url.searchParams.set("schema", schema);
    return url.href;
  };
  const list = (url: string) =>
    runCli(["events", "list", "--json"], { env: { HOOKPORTER_INBOX: url } });

  it("receive, list, show, export, retry, drop, replay and prune", async () => {
    const inbox = urlOf(newSchema());
    const listen = await listening(["--inbox", inbox], tempFolder());
    const { cwd, url } = listen;
    expect(listen.records("ready")[0]).toMatchObject({
      inbox: expect.stringMatching(/^postgres:\/\/127.*schema=test_/),
    });
    expect(listen.now().stderr).toMatch(
      / {2}Inbox {6}postgres:\/\/127\.0\.0\.1:\d+\/postgres\?schema=test_/,
    );
    await runCli(["trigger", "payment.received", "--url", url], { cwd });
    const run = async (...argv: string[]) => {
      const { code, stdout, stderr, records } = await runCli([...argv, "--json"], {
        cwd,
        env: { HOOKPORTER_INBOX: inbox },
      });
      expect(code, stdout + stderr).toBe(0);
      return records;
    };
    await expect
      .poll(async () => (await run("events", "list"))[0])
      .toMatchObject({ seq: 1, state: "received" });
    expect((await run("events", "show", "1"))[0]).toMatchObject({ delivery: { method: "POST" } });
    expect(await run("events", "export")).toHaveLength(1);
    expect((await run("replay", "1", "--url", url)).at(-1)).toMatchObject({
      type: "answer",
      status: 200,
    });
    expect(await run("events", "retry", "1")).toMatchObject([{ ended: 1 }]);
    await listen.stop();
    expect(await run("events", "drop", "--all")).toMatchObject([{ dropped: expect.any(Number) }]);
    expect(await run("events", "retry", "--state", "received,dead")).toHaveLength(1);
    expect(await run("events", "prune")).toMatchObject([{ pruned: 0, slimmed: 0 }]);
  });

  it("share it: what one `listen` receives, another one's command can list", async () => {
    const inbox = urlOf(newSchema());
    const [a, b] = await Promise.all([
      listening(["--inbox", inbox]),
      listening(["--inbox", inbox]),
    ]);
    await runCli(["trigger", "payment.received", "--url", a.url], { cwd: a.cwd });
    await runCli(["trigger", "contact.created", "--url", b.url], { cwd: b.cwd });
    const entries = (await list(inbox)).records.map(({ kind }) => kind);
    expect(entries).toEqual(["payment.received", "contact.created"]);
  });

  /** One line, the code, the exit code, and never the password. */
  async function refused(url: string) {
    const { code, records, said } = await list(url);
    expect(said.trim().split("\n")).toHaveLength(1);
    expect(said + JSON.stringify(records)).not.toContain(CANARY);
    return { exit: code, code: records.at(-1)?.code, line: said };
  }

  it("name a missing database", async () => {
    const { line, ...rest } = await refused(urlOf("a", { pathname: "/nowhere", password: CANARY }));
    expect(rest).toEqual({ exit: 3, code: "inbox_unavailable" });
    expect(line).toMatch(/"nowhere\\?" does not exist.*: create the database/);
  });

  it("name a missing role", async () => {
    const { line, ...rest } = await refused(
      urlOf("a", { username: "nobody_here", password: CANARY }),
    );
    expect(rest).toEqual({ exit: 3, code: "inbox_unavailable" });
    expect(line).toContain("check the user");
  });

  it.skipIf(server.restart === undefined)(
    "name a wrong password, and one that is not given",
    async () => {
      await admin.query("CREATE ROLE secured LOGIN PASSWORD 'right'");
      const wrong = await refused(urlOf("a", { username: "secured", password: CANARY }));
      expect(wrong).toMatchObject({ exit: 3, code: "inbox_unavailable" });
      expect(wrong.line).toMatch(
        /password authentication failed.*: check the user and the password/,
      );
      const missing = await refused(urlOf("a", { username: "secured" }));
      expect(missing).toMatchObject({ exit: 3, code: "inbox_unavailable" });
      expect(missing.line).toContain("PGPASSWORD");
    },
  );

  it("name a missing right, and a schema that is not there", async () => {
    const schema = newSchema();
    await (await open(schema)).close();
    const role = `poor_cli_${process.pid}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${CANARY}'`);
    const { line, ...rest } = await refused(urlOf(schema, { username: role, password: CANARY }));
    await admin.query(`DROP ROLE ${role}`);
    expect(rest).toEqual({ exit: 3, code: "inbox_unavailable" });
    expect(line).toMatch(/permission denied.*: grant the user what it lacks/);
    const none = await refused(urlOf("not_there"));
    expect(none).toMatchObject({ exit: 3, code: "inbox_unavailable" });
    expect(none.line).toContain("run `hookporter inbox migrate`");
  });

  it("name an older schema and a newer one", async () => {
    const schema = newSchema();
    await (await open(schema)).close();
    await admin.query(`UPDATE ${schema}.migration SET version = version + 90`);
    const newer = await refused(urlOf(schema));
    expect(newer).toMatchObject({ exit: 3, code: "inbox_newer" });
    expect(newer.line).toContain("update hookporter");
    await admin.query(`UPDATE ${schema}.migration SET version = 0`);
    const older = await refused(urlOf(schema));
    expect(older.exit).toBe(3);
    expect(older.line).toContain("run `hookporter inbox migrate`");
  });

  it("name a server that is away, with the exit code for the network", async () => {
    const port = String(await closedPort());
    const { line, ...rest } = await refused(urlOf("a", { port, password: CANARY }));
    expect(rest).toEqual({ exit: 5, code: "inbox_unreachable" });
    expect(line).toContain("start the server");
  });
});
