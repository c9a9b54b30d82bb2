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
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { SCHEMA_VERSION } from "../../../src/inbox/sqlite/migrations.ts";
import { runnerLock } from "../../../src/inbox/sqlite/processes/runner-lock.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry, sampleDelivery } from "../../inbox/entries.ts";
import { changeFile, connect } from "../../inbox/sqlite/changed-file.ts";
import { contentOf, fillEveryState } from "../../inbox/transfer/every-state.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { startListening } from "../listening.ts";

/** A folder with an inbox that has entries of every state. */
async function filled() {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "a.db"));
  await inbox.open();
  await fillEveryState(inbox);
  const content = await contentOf(inbox);
  await inbox.close();
  return { cwd, file: join(cwd, "a.db"), content };
}

const run = (cwd: string, command: string, ...more: string[]) =>
  runCli(["inbox", command, "--inbox", "a.db", ...more], { cwd });

/** A process of `listen` that has the inbox open. */
async function started(cwd: string) {
  const listening = startListening(["--inbox", "a.db"], { cwd });
  await vi.waitFor(
    () => expect(listening.records("ready"), listening.output()).toHaveLength(1),
    15_000,
  );
  return listening;
}

describe("`inbox check`", () => {
  it("says before it reads a large file that this takes a while", async () => {
    const { cwd, file } = await filled();
    const quick = await run(cwd, "check");
    expect(quick).toMatchObject({ code: 0, stderr: "" });
    changeFile(
      file,
      "CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (zeroblob(110000000))",
    );
    const { code, stderr } = await run(cwd, "check");
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^reading all of \S+a\.db \(1\d\d\.\d MiB\), which takes a while\n$/),
    ]);
  });

  it("says what is in an intact inbox, and exits with 0", async () => {
    const { cwd, file } = await filled();
    const { code, stdout, stderr } = await run(cwd, "check");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${file}: intact`);
    expect(stdout).toMatch(/entries {5}9 \(3 waiting, 1 failing, .*\), #\d+ to #\d+\n/);
    expect(stdout).toContain("in use by   no process");
    const { records } = await run(cwd, "check", "--json");
    expect(records).toMatchObject([
      {
        type: "inbox",
        inbox: file,
        intact: true,
        schema: SCHEMA_VERSION,
        problems: [],
        holders: [],
      },
    ]);
  });

  it("names the process that has it open", async () => {
    const { cwd } = await filled();
    const { pid } = await started(cwd);
    const { records } = await run(cwd, "check", "--json");
    const known = process.platform === "linux" ? pid : null;
    expect(records).toMatchObject([{ intact: true, holders: [{ pid: known, role: "both" }] }]);
  });

  it("exits with 1 and names the entry whose delivery is not what was received", async () => {
    const { cwd, file } = await filled();
    changeFile(
      file,
      "UPDATE delivery SET body = x'00' WHERE seq = (SELECT max(seq) FROM delivery)",
    );
    const { code, stdout, stderr } = await run(cwd, "check");
    expect(code).toBe(1);
    expect(stdout).toMatch(/a\.db: damaged, but only single entries are\n {2}unreadable {2}#\d+\n/);
    expect(stderr).toContain("docs/recovery.md");
  });

  it.each([
    ["a page in its middle", 2 * 4096, 4096],
    ["its header", 0, 100],
  ])("exits with 1 if %s is overwritten", async (_, position, length) => {
    const { cwd, file } = await filled();
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Buffer.alloc(length, 0x5a), 0, length, position);
    closeSync(descriptor);
    const { code, records } = await run(cwd, "check", "--json");
    expect(code).toBe(1);
    expect(records).toMatchObject([
      { intact: false, usable: false, problems: expect.arrayContaining([expect.any(String)]) },
    ]);
  });

  it("refuses a file that is not there", async () => {
    const cwd = tempFolder();
    expect(await run(cwd, "check")).toMatchObject({ code: 3 });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("`inbox vacuum`", () => {
  it("gives free space back, and keeps everything else", async () => {
    const { cwd, file, content } = await filled();
    const inbox = sqliteInbox(file);
    await inbox.open();
    const large = { delivery: sampleDelivery({ body: Buffer.alloc(500_000, "x") }) };
    const { seq } = (await keep(inbox, numberedEntry(900, 900, large))) ?? {};
    await inbox.close();
    connect(file).exec(
      `DELETE FROM entry WHERE seq = ${seq}; DELETE FROM delivery WHERE seq = ${seq}`,
    );
    const held = statSync(file).size + statSync(`${file}-wal`).size;
    const { code, records } = await run(cwd, "vacuum", "--json");
    expect(code).toBe(0);
    const [{ before, after }] = records as [{ before: number; after: number }];
    expect(before).toBe(held);
    expect(before - after).toBeGreaterThan(400_000);
    expect(statSync(file).size).toBe(after);
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
    const reopened = sqliteInbox(file);
    await reopened.open();
    expect(await contentOf(reopened)).toEqual(content);
    await reopened.close();
  });

  it("refuses while a process uses the inbox, and names it", async () => {
    const { cwd, file } = await filled();
    const { pid } = await started(cwd);
    const before = statSync(file).size;
    const { code, said, records } = await run(cwd, "vacuum", "--json");
    expect({ code, records }).toMatchObject({ code: 3, records: [{ code: "inbox_busy" }] });
    if (process.platform === "linux") expect(said).toContain(`process ${pid} `);
    expect(said).toMatch(/\(hookporter \S+, leases [0-9a-f]{8}…\): stop it first/);
    expect(statSync(file).size).toBe(before);
    for (const id of ["1a", "2a"]) onTestFinished(runnerLock(file, id).release);
    expect((await run(cwd, "vacuum")).stderr).toMatch(
      /leases [0-9a-f]+…\) and 2 more: stop it first/,
    );
  });

  it("works after a process was killed", async () => {
    const { cwd } = await filled();
    const { child, ended } = await started(cwd);
    child.kill("SIGKILL");
    await ended;
    expect(await run(cwd, "vacuum")).toMatchObject({ code: 0 });
  });

  it("says so if another program's transaction keeps the space", async () => {
    const { cwd, file } = await filled();
    const reader = new (loadSqlite().DatabaseSync)(file, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM entry");
    const { code, stderr } = await run(cwd, "vacuum");
    reader.exec("ROLLBACK");
    reader.close();
    expect(code).toBe(3);
    expect(stderr).toContain("no other program to read");
  });

  it.each([
    ["an older version made its tables", "inbox_older", "UPDATE migration SET version = 0"],
    ["it is another program's", "inbox_corrupt", "PRAGMA application_id = 1"],
  ])("refuses a file if %s", async (_, code, sql) => {
    const { cwd, file } = await filled();
    changeFile(file, sql);
    expect((await run(cwd, "vacuum", "--json")).records).toMatchObject([{ code }]);
  });

  it("refuses an inbox on PostgreSQL with the SQL to run, and a file that is missing or no inbox", async () => {
    const env = { HOOKPORTER_INBOX: "postgres://app:canary@db.test/app?schema=hooks" };
    const server = await runCli(["inbox", "vacuum"], { env });
    expect(server).toMatchObject({ code: 3 });
    expect(server.stderr).toContain("VACUUM (VERBOSE, ANALYZE) hooks.entry");
    expect(server.stderr).not.toContain("canary");
    const cwd = tempFolder();
    expect((await run(cwd, "vacuum", "--json")).records).toMatchObject([
      { code: "inbox_unavailable" },
    ]);
    writeFileSync(join(cwd, "a.db"), "x".repeat(5000));
    expect((await run(cwd, "vacuum", "--json")).records).toMatchObject([{ code: "inbox_corrupt" }]);
  });
});
