import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { SCHEMA_VERSION } from "../../../src/inbox/sqlite/migrations.ts";
import { runnerLock } from "../../../src/inbox/sqlite/processes/runner-lock.ts";
import { keep, numberedEntry, sampleDelivery } from "../../inbox/entries.ts";
import { changeFile, connect } from "../../inbox/sqlite/changed-file.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { cliIn, contentAt, filledFolder, inboxFolder } from "../inbox-folder.ts";
import { startListening } from "../listening.ts";

/** The commands in a folder. */
function caring(cwd = tempFolder()) {
  const cli = cliIn(cwd);
  return {
    cwd,
    check: (flags = "") => cli(`inbox check --inbox a.db${flags}`),
    vacuum: (flags = "") => cli(`inbox vacuum --inbox a.db${flags}`),
  };
}

/** The same, with an inbox that has entries of every state. */
async function filled() {
  const { cwd, path: file, content } = await filledFolder();
  return { ...caring(cwd), file, content };
}

/** A process of `listen` that has the inbox open. */
async function started(cwd: string) {
  const listening = startListening(["--inbox", "a.db"], { cwd });
  await listening.ready();
  return listening;
}

describe("`inbox check`", () => {
  it("says what is in an intact inbox, and first that a large file takes a while", async () => {
    const { check, file } = await filled();
    const { code, stdout, stderr } = await check();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${file}: intact`);
    expect(stdout).toMatch(/entries {5}9 \(3 waiting, 1 failing, .*\), #\d+ to #\d+\n/);
    expect(stdout).toContain("in use by   no process");
    const known = { inbox: file, intact: true, schema: SCHEMA_VERSION };
    expect((await check(" --json")).records).toMatchObject([
      { type: "inbox", ...known, problems: [], holders: [] },
    ]);
    const large = "INSERT INTO large VALUES (zeroblob(110000000))";
    changeFile(file, `CREATE TABLE large (bytes BLOB); ${large}`);
    const slow = await check();
    expect(slow.code).toBe(0);
    expect(slow.stderr).toMatch(
      /^reading all of \S+a\.db \(1\d\d\.\d MiB\), which takes a while\n$/,
    );
  });

  it("names the entry whose delivery is not what was received, and ends with 1", async () => {
    const { check, file } = await filled();
    const sql = "UPDATE delivery SET body = x'00' WHERE seq = (SELECT max(seq) FROM delivery)";
    changeFile(file, sql);
    const { code, stdout, stderr } = await check();
    expect(code).toBe(1);
    expect(stdout).toMatch(/a\.db: damaged, but only single entries are\n {2}unreadable {2}#\d+\n/);
    expect(stderr).toContain("docs/recovery.md");
  });

  it.each([
    ["a page in its middle", 2 * 4096, 4096],
    ["its header", 0, 100],
  ])("ends with 1 if %s is overwritten", async (_, position, length) => {
    const { check, file } = await filled();
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Buffer.alloc(length, 0x5a), 0, length, position);
    closeSync(descriptor);
    const { code, records } = await check(" --json");
    expect(code).toBe(1);
    expect(records).toMatchObject([
      { intact: false, usable: false, problems: expect.arrayContaining([expect.any(String)]) },
    ]);
  });

  it("refuses a file that is not there", async () => {
    const { cwd, check } = caring();
    expect(await check()).toMatchObject({ code: 3 });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("`inbox vacuum`", () => {
  it("gives free space back, and keeps everything else", async () => {
    const { cwd, vacuum, file, content } = await filled();
    const { inbox } = await inboxFolder("a.db", cwd);
    const large = { delivery: sampleDelivery({ body: Buffer.alloc(500_000, "x") }) };
    const { seq } = (await keep(inbox, numberedEntry(900, 900, large))) ?? {};
    await inbox.close();
    connect(file).exec(
      `DELETE FROM entry WHERE seq = ${seq}; DELETE FROM delivery WHERE seq = ${seq}`,
    );
    const held = statSync(file).size + statSync(`${file}-wal`).size;
    const { code, records } = await vacuum(" --json");
    expect(code).toBe(0);
    const [{ before, after }] = records as [{ before: number; after: number }];
    expect(before).toBe(held);
    expect(before - after).toBeGreaterThan(400_000);
    expect(statSync(file).size).toBe(after);
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
    expect(await contentAt(file)).toEqual(content);
  });

  it("refuses while a process uses the inbox, which check names too, and works once it was killed", async () => {
    const { cwd, file, check, vacuum } = await filled();
    const { child, ended, pid } = await started(cwd);
    const known = process.platform === "linux" ? pid : null;
    expect((await check(" --json")).records).toMatchObject([
      { intact: true, holders: [{ pid: known, role: "both" }] },
    ]);
    const before = statSync(file).size;
    const { code, said, records } = await vacuum(" --json");
    expect({ code, records }).toMatchObject({ code: 3, records: [{ code: "inbox_busy" }] });
    if (process.platform === "linux") expect(said).toContain(`process ${pid} `);
    expect(said).toMatch(/\(hookporter \S+, leases [0-9a-f]{8}…\): stop it first/);
    expect(statSync(file).size).toBe(before);
    const others = ["1a", "2a"].map((id) => runnerLock(file, id));
    expect((await vacuum()).stderr).toMatch(/leases [0-9a-f]+…\) and 2 more: stop it first/);
    for (const { release } of others) release();
    child.kill("SIGKILL");
    await ended;
    expect(await vacuum()).toMatchObject({ code: 0 });
  });

  it("says so if another program's transaction keeps the space", async () => {
    const { vacuum, file } = await filled();
    const reader = new (loadSqlite().DatabaseSync)(file, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM entry");
    const { code, stderr } = await vacuum();
    reader.exec("ROLLBACK");
    reader.close();
    expect(code).toBe(3);
    expect(stderr).toContain("no other program to read");
  });

  it.each([
    ["an older version made its tables", "inbox_older", "UPDATE migration SET version = 0"],
    ["it is another program's", "inbox_corrupt", "PRAGMA application_id = 1"],
  ])("refuses a file if %s", async (_, code, sql) => {
    const { vacuum, file } = await filled();
    changeFile(file, sql);
    expect((await vacuum(" --json")).records).toMatchObject([{ code }]);
  });

  it("refuses an inbox on PostgreSQL with the SQL to run, and a file that is missing or no inbox", async () => {
    const env = { HOOKPORTER_INBOX: "postgres://app:canary@db.test/app?schema=hooks" };
    const server = await runCli(["inbox", "vacuum"], { env });
    expect(server).toMatchObject({ code: 3 });
    expect(server.stderr).toContain("VACUUM (VERBOSE, ANALYZE) hooks.entry");
    expect(server.stderr).not.toContain("canary");
    const { cwd, vacuum } = caring();
    expect((await vacuum(" --json")).records).toMatchObject([{ code: "inbox_unavailable" }]);
    writeFileSync(join(cwd, "a.db"), "x".repeat(5000));
    expect((await vacuum(" --json")).records).toMatchObject([{ code: "inbox_corrupt" }]);
  });
});
