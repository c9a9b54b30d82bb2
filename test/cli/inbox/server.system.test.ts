import { expect, it } from "vitest";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { runCli } from "../fake-io.ts";
import { cliIn } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";
import { describeOnServer } from "./on-server.ts";

const CANARY = "canary";

describeOnServer("the commands, on a database,", {}, async (opened) => {
  const { server, admin, newSchema, open, urlOf } = opened;
  await import("../../../src/cli/listen/listen.ts"); // slow for the first time
  const list = (url: string) =>
    runCli(["events", "list", "--json"], { env: { HOOKPORTER_INBOX: url } });

  it("receive, list, show, export, retry, drop, replay and prune", async () => {
    const inbox = urlOf(newSchema());
    const listen = await listening(["--inbox", inbox]);
    const { cwd, url } = listen;
    expect(listen.records("ready")[0]).toMatchObject({
      inbox: expect.stringMatching(/^postgres:\/\/127.*schema=test_/),
    });
    expect(listen.now().stderr).toMatch(
      / {2}Inbox {6}postgres:\/\/127\.0\.0\.1:\d+\/postgres\?schema=test_/,
    );
    await runCli(["trigger", "payment.received", "--url", url], { cwd });
    const cli = cliIn(cwd, { env: { HOOKPORTER_INBOX: inbox } });
    const run = async (line: string) => {
      const { code, stdout, stderr, records } = await cli(`${line} --json`);
      expect(code, stdout + stderr).toBe(0);
      return records;
    };
    const first = async () => (await run("events list"))[0];
    await expect.poll(first).toMatchObject({ seq: 1, state: "received" });
    expect((await run("events show 1"))[0]).toMatchObject({ delivery: { method: "POST" } });
    expect(await run("events export")).toHaveLength(1);
    const sent = (await run(`replay 1 --url ${url}`)).at(-1);
    expect(sent).toMatchObject({ type: "answer", status: 200 });
    expect(await run("events retry 1")).toMatchObject([{ ended: 1 }]);
    await listen.stop();
    expect(await run("events drop --all")).toMatchObject([{ dropped: expect.any(Number) }]);
    expect(await run("events retry --state received,dead")).toHaveLength(1);
    expect(await run("events prune")).toMatchObject([{ pruned: 0, slimmed: 0 }]);
  });

  /** Expects one line, the code, the exit code, and never the password; returns the line. */
  async function refused(url: string, exit = 3, error = "inbox_unavailable") {
    const { code, records, said } = await list(url);
    expect([code, records.at(-1)?.code]).toEqual([exit, error]);
    expect(said.trim().split("\n")).toHaveLength(1);
    expect(said + JSON.stringify(records)).not.toContain(CANARY);
    return said;
  }

  it("name a missing database, a missing role, and a server that is away", async () => {
    const password = CANARY;
    expect(await refused(urlOf("a", { pathname: "/nowhere", password }))).toMatch(
      /"nowhere\\?" does not exist.*: create the database/,
    );
    expect(await refused(urlOf("a", { username: "nobody_here", password }))).toContain(
      "check the user",
    );
    const port = String(await closedPort());
    expect(await refused(urlOf("a", { port, password }), 5, "inbox_unreachable")).toContain(
      "start the server",
    );
  });

  it.skipIf(server.restart === undefined)(
    "name a wrong password, and one that is not given",
    async () => {
      await admin.query("CREATE ROLE secured LOGIN PASSWORD 'right'");
      expect(await refused(urlOf("a", { username: "secured", password: CANARY }))).toMatch(
        /password authentication failed.*: check the user and the password/,
      );
      expect(await refused(urlOf("a", { username: "secured" }))).toContain("PGPASSWORD");
    },
  );

  it("name a missing right, and a schema that is not there", async () => {
    const schema = newSchema();
    await (await open(schema)).close();
    const role = `poor_cli_${process.pid}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${CANARY}'`);
    const poor = await refused(urlOf(schema, { username: role, password: CANARY }));
    await admin.query(`DROP ROLE ${role}`);
    expect(poor).toMatch(/permission denied.*: grant the user what it lacks/);
    expect(await refused(urlOf("not_there"))).toContain("run `hookporter inbox migrate`");
  });

  it("name an older schema and a newer one", async () => {
    const schema = newSchema();
    await (await open(schema)).close();
    await admin.query(`UPDATE ${schema}.migration SET version = version + 90`);
    expect(await refused(urlOf(schema), 3, "inbox_newer")).toContain("update hookporter");
    await admin.query(`UPDATE ${schema}.migration SET version = 0`);
    const older = await refused(urlOf(schema));
    expect(older).toContain("run `hookporter inbox migrate`");
  });
});
