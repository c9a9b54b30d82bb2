import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { codeOf, readPage, root } from "../../docs/markdown.ts";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { fillEveryState } from "../../inbox/transfer/every-state.ts";
import { runCli } from "../fake-io.ts";
import { inboxFolder } from "../inbox-folder.ts";
import { describeOnServer } from "./on-server.ts";

/** SQLite's own shell, which knows nothing of this program. */
function shell(path: string, sql: string): string | undefined {
  try {
    return execFileSync("sqlite3", [path, sql], { encoding: "utf8", maxBuffer: 2 ** 28 }).trim();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}

describeOnServer("care of an inbox on a server:", {}, ({ admin, newSchema, urlOf }) => {
  const run = async (url: string, ...argv: string[]) => {
    const { code, records, stderr, stdout } = await runCli([...argv, "--json"], {
      env: { HOOKPORTER_INBOX: url },
    });
    expect(code, stdout + stderr).toBe(0);
    return records;
  };

  it("`inbox migrate` makes the tables once, and what it prints does the same", async () => {
    const made = newSchema();
    const printed = newSchema();
    const done = { type: "migrate", schema: made, from: 0, to: expect.any(Number), sql: null };
    const [first] = await run(urlOf(made), "inbox", "migrate");
    expect(first).toMatchObject(done);
    const [again] = await run(urlOf(made), "inbox", "migrate");
    expect(again).toMatchObject({ ...done, from: first?.to });
    const print = () => run(urlOf(printed), "inbox", "migrate", "--print");
    const [{ sql }] = (await print()) as [{ sql: string }];
    await admin.query(sql);
    expect(await print()).toMatchObject([{ sql: "", from: first?.to }]);
    const shapeOf = async (schema: string) => {
      const { rows } = await admin.query(
        `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
         WHERE table_schema = $1 ORDER BY 1, ordinal_position`,
        [schema],
      );
      return rows;
    };
    expect(await shapeOf(printed)).toEqual(await shapeOf(made));
  });

  it("a user with the granted rights alone uses the inbox, and prunes it", async () => {
    const schema = newSchema();
    const role = `granted_${process.pid}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'granted'`);
    onTestFinished(
      async () => void (await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)),
    );
    const url = urlOf(schema, { username: role, password: "granted" });
    await run(urlOf(schema), "inbox", "migrate", "--grant-to", role);
    expect(await run(url, "events", "list")).toEqual([]);
    const nothing = { type: "prune", pruned: 0, slimmed: 0 };
    expect(await run(url, "events", "prune")).toMatchObject([nothing]);
    // The new user may make no tables.
    const refused = await runCli(["inbox", "migrate", "--json"], {
      env: { HOOKPORTER_INBOX: urlOf("other_one", { username: role, password: "granted" }) },
    });
    expect(refused).toMatchObject({ code: 3, records: [{ code: "inbox_unavailable" }] });
  });

  it("the queries of the page about scaling run on a server too, and find open transactions", async () => {
    const schema = newSchema();
    await run(urlOf(schema), "inbox", "migrate");
    const [, ...queries] = codeOf(readPage("docs/scaling.md"), "sql");
    const client = await admin.connect();
    await client.query("BEGIN");
    const names: string[] = [];
    for (const query of queries) {
      const { rows, fields } = await client.query(query.replaceAll("hookporter", schema));
      names.push(...fields.map(({ name }) => name));
      if (fields.some(({ name }) => name === "open_for")) expect(rows.length).toBeGreaterThan(0);
    }
    await client.query("COMMIT");
    client.release();
    expect(names).toEqual(expect.arrayContaining(["due", "open_for", "size"]));
  });

  it("10 000 entries are copied to the server over a kill, and back, each once", {
    timeout: 120_000,
  }, async () => {
    const schema = newSchema();
    const { cwd, inbox, path: file } = await inboxFolder("a.db");
    await fillEveryState(inbox);
    const numbers = Array.from({ length: 10_000 }, (_, index) => 1000 + index);
    await Promise.all(numbers.map((number) => keep(inbox, numberedEntry(number))));
    await inbox.close();

    const argv = [join(root, "dist", "bin.js"), "inbox", "copy", file, "--json"];
    const env = { PATH: process.env.PATH, HOOKPORTER_INBOX: urlOf(schema) };
    const child = spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.once("data", () => child.kill("SIGKILL"));
    const [, signal] = await once(child, "close");
    expect(signal).toBe("SIGKILL");
    const counted = async () =>
      Number((await admin.query(`SELECT count(*) FROM ${schema}.entry`)).rows[0].count);
    const left = await counted();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(10_009);

    const [copied] = (await run(urlOf(schema), "inbox", "copy", file)).slice(-1);
    expect(copied).toMatchObject({ type: "copied", entries: 10_009, before: left });
    expect(await counted()).toBe(10_009);
    const { rows } = await admin.query(
      `SELECT (SELECT count(*)::int FROM ${schema}.turn) AS turn, (SELECT count(*)::int FROM ${schema}.dead_or_received) AS dead_or_received,
         (SELECT count(*)::int FROM ${schema}.handled) AS handled, (SELECT count(DISTINCT (key_timestamp, event_id, source))::int FROM ${schema}.entry) AS keys,
         (SELECT count(*)::int FROM ${schema}.delivery WHERE octet_length(body) > 0) AS bodies`,
    );
    expect(rows).toEqual([
      { turn: 10_005, dead_or_received: 3, handled: 1, keys: 10_009, bodies: 10_008 },
    ]);

    const back = join(cwd, "b.db");
    const { records } = await runCli(["inbox", "copy", urlOf(schema), back, "--json"]);
    expect(records.at(-1)).toMatchObject({ entries: 10_009, before: 0, digest: copied?.digest });
    const sum =
      "SELECT count(*), sum(seq), sum(run_at), sum(duplicates), sum(length(event_id)), sum(attempts) FROM entry";
    expect(shell(back, sum)).toBe(shell(file, sum));
    const bodies = "SELECT seq, hex(body), headers, method, target FROM delivery ORDER BY seq";
    expect(shell(back, bodies)).toBe(shell(file, bodies));
  });
});
