import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { NO_POOLER, startPooler } from "../../inbox/postgres/server.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { startListening } from "../listening.ts";
import { listening } from "../open-listen.ts";
import { describeOnServer } from "./on-server.ts";

const WAIT = { timeout: 20_000, interval: 50 };
const HOOKPORTER_SECRET = "a secret that is long enough";

/** A handlers module whose handler writes to the database in its transaction. */
const WITH_TX = `
  export default (receiver) => {
    receiver.on("*", (event, { tx }) => tx.query("INSERT INTO cli_effect (event) VALUES ($1)", [event.id]), { tx: true });
  };
`;

describeOnServer("`listen` and `events` on a shared database:", {}, (opened) => {
  const { server, admin, newSchema, urlOf } = opened;
  const run = async (inbox: string, ...argv: string[]) => {
    const { code, records, stdout, stderr } = await runCli([...argv, "--json"], {
      env: { HOOKPORTER_INBOX: inbox, HOOKPORTER_SECRET },
    });
    expect(code, stdout + stderr).toBe(0);
    return records;
  };

  /** Starts the built program with `listen`, and returns its URL. */
  async function listenProcess(inbox: string, argv: string, cwd = tempFolder()): Promise<string> {
    const env = { HOOKPORTER_INBOX: inbox, HOOKPORTER_SECRET };
    const { localUrl } = await startListening(argv.split(" "), { cwd, env }).ready();
    return localUrl.href;
  }

  it("one process receives 50 events, another one runs them, and none ends as received", {
    timeout: 60_000,
  }, async () => {
    const inbox = urlOf(newSchema());
    const handlers = 'export default { "*": (event, { note }) => note(String(process.pid)) };';
    const front = await listenProcess(inbox, "--role receive");
    await run(inbox, "trigger", "payment.received", "--count", "25", "--url", front);
    const cwd = folderWith({ "h.js": handlers });
    await listenProcess(inbox, "--role run --handlers h.js", cwd);
    await run(inbox, "trigger", "lead.created", "--count", "25", "--url", front);
    await vi.waitFor(async () => {
      const entries = await run(inbox, "events", "list", "--limit", "100");
      expect(entries).toHaveLength(50);
      expect(new Set(entries.map(({ state }) => state))).toEqual(new Set(["handled"]));
    }, WAIT);
  });

  it("a handler with `tx` writes on a database, and is refused in one line on a file", async () => {
    await admin.query("CREATE TABLE IF NOT EXISTS cli_effect (event text)");
    onTestFinished(async () => void (await admin.query("DROP TABLE cli_effect")));
    const cwd = folderWith({ "h.js": WITH_TX });
    const argv = ["listen", "--port", "0", "--inbox", "a.db", "--handlers", "h.js"];
    const refused = await runCli(argv, { cwd, env: { HOOKPORTER_SECRET } });
    expect(refused.code).toBe(3);
    expect(refused.stdout).toBe("");
    expect(refused.stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/tx: true.*postgres:\/\//),
    ]);

    const inbox = urlOf(newSchema());
    const { url } = await listening(["--inbox", inbox, "--handlers", "h.js"], cwd);
    const sent = await runCli(["trigger", "payment.received", "--url", url], { cwd });
    expect(sent.code, sent.stderr).toBe(0);
    await vi.waitFor(async () => {
      expect(await run(inbox, "events", "list")).toMatchObject([{ state: "handled" }]);
    }, WAIT);
    expect((await admin.query("SELECT count(*)::int AS n FROM cli_effect")).rows).toEqual([
      { n: 1 },
    ]);
  });

  describe("through PgBouncer in transaction mode", async () => {
    if (NO_POOLER !== undefined) {
      it.skip(NO_POOLER, () => {});
      return;
    }
    const pooler = await startPooler(server);
    afterAll(() => pooler.stop());

    it("entries are listed, shown and retried", async () => {
      const inbox = urlOf(newSchema(), {}, pooler.url);
      const listen = await listening(["--inbox", inbox]);
      await runCli(["trigger", "payment.received", "--url", listen.url], { cwd: listen.cwd });
      await vi.waitFor(async () => {
        expect(await run(inbox, "events", "list")).toMatchObject([{ seq: 1, state: "received" }]);
      }, WAIT);
      await listen.stop();
      const shown = await run(inbox, "events", "show", "1");
      expect(shown).toMatchObject([{ delivery: { method: "POST" } }]);
      expect(await run(inbox, "events", "retry", "1")).toMatchObject([{ ended: 1 }]);
      expect(await run(inbox, "events", "list")).toMatchObject([
        { seq: 1, state: "waiting", attempts: 0 },
      ]);
    });
  });
});
