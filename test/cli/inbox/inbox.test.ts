import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { grantsSql, migrationSql } from "../../../src/inbox/postgres/migrations.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { contentOf, fillEveryState } from "../../inbox/transfer/every-state.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

/** A folder with an inbox file that has entries of every state. */
async function filled() {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "a.db"));
  await inbox.open();
  await fillEveryState(inbox);
  const content = await contentOf(inbox);
  await inbox.close();
  return { cwd, content };
}

describe("`inbox copy`", () => {
  it("copies a file, says what it did, and changes nothing the second time", async () => {
    const { cwd, content } = await filled();
    const run = await runCli(["inbox", "copy", "a.db", "b.db"], { cwd });
    expect(run).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^9 entries copied and compared: SHA-256 [0-9a-f]{64}\n$/),
    });
    const again = await runCli(["inbox", "copy", "a.db", "--inbox", "b.db", "--json"], { cwd });
    expect(again.records.map(({ type }) => type)).toEqual(["progress", "progress", "copied"]);
    expect(again.records.at(-1)).toMatchObject({
      from: join(cwd, "a.db"),
      to: join(cwd, "b.db"),
      entries: 9,
      before: 9,
    });
    const copy = sqliteInbox(join(cwd, "b.db"));
    await copy.open();
    expect(await contentOf(copy)).toEqual(content);
    await copy.close();
  });

  it("names what is paused, which it does not copy", async () => {
    const { cwd } = await filled();
    await runCli(["events", "pause", "--kind", "payment.received", "--inbox", "a.db"], { cwd });
    for (const to of [["b.db"], ["--into", "c.db"]]) {
      const { code, stderr } = await runCli(["inbox", "copy", "a.db", ...to], { cwd });
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^not copied: kind payment\.received has been/m),
      ]);
    }
  });

  it("shows a line of progress on a terminal", async () => {
    const { cwd } = await filled();
    const isTTY = { stdin: true, stdout: true, stderr: true };
    const { stderr } = await runCli(["inbox", "copy", "a.db", "b.db"], { cwd, isTTY });
    expect(stderr).toMatch(/100 % {2}9 of 9 copied.*100 % {2}9 of 9 compared/s);
  });

  it.each([
    [["nowhere.db", "b.db"], 3, "inbox_unavailable"],
    [["a.db"], 2, "usage"],
    [["a.db", "./a.db"], 2, "usage"],
    [["a.db", "memory:"], 3, "inbox_unsupported"],
    [["a.db", "mysql://user:canary@host/app"], 3, "inbox_unsupported"],
  ])("refuses %j, and makes no file", async (argv, exit, code) => {
    const { cwd } = await filled();
    const run = await runCli(["inbox", "copy", ...argv, "--json"], { cwd });
    expect(run.code).toBe(exit);
    expect(run.records).toMatchObject([{ type: "error", code }]);
    expect(run.stdout + run.stderr).not.toContain("canary");
    expect(existsSync(join(cwd, "b.db"))).toBe(false);
  });

  it("refuses an inbox and a link to it, of which one would be deleted after a merge", async () => {
    const { cwd } = await filled();
    symlinkSync(join(cwd, "a.db"), join(cwd, "link.db"));
    for (const argv of [
      ["a.db", "link.db"],
      ["link.db", "--into", "a.db"],
    ]) {
      const { code, said } = await runCli(["inbox", "copy", ...argv], { cwd });
      expect([code, said]).toEqual([2, expect.stringContaining("got the same one twice")]);
    }
  });

  it("refuses an inbox that `listen` has open, unless it is forced", async () => {
    const { cwd } = await filled();
    await listening(["--inbox", "a.db"], cwd);
    const refused = await runCli(["inbox", "copy", "a.db", "b.db", "--json"], { cwd });
    expect(refused).toMatchObject({ code: 3, records: [{ code: "inbox_busy" }] });
    expect(refused.said).toContain("--force");
  });

  it("refuses to mix two inboxes", async () => {
    const { cwd } = await filled();
    const other = sqliteInbox(join(cwd, "b.db"));
    await other.open();
    await keep(other, numberedEntry(500));
    await other.close();
    const run = await runCli(["inbox", "copy", "a.db", "b.db", "--json"], { cwd });
    expect(run).toMatchObject({ code: 2, records: [{ code: "usage" }] });
  });
});

describe("`inbox copy --salvage`", () => {
  it("copies what can be read of a damaged file, and says what it did", async () => {
    const { cwd, content } = await filled();
    const bytes = readFileSync(join(cwd, "a.db"));
    writeFileSync(join(cwd, "a.db"), bytes.fill(0x5a, 0, 4096));
    expect(await runCli(["inbox", "copy", "a.db", "b.db", "--json"], { cwd })).toMatchObject({
      code: 3,
      records: [{ code: "inbox_corrupt" }],
    });
    const run = await runCli(["inbox", "copy", "--salvage", "a.db", "b.db", "--json"], { cwd });
    expect(run).toMatchObject({
      code: 0,
      records: [
        { type: "progress", step: "salvage", entries: 10, total: 10 },
        { type: "salvaged", entries: 9, rebuilt: [], lost: [] },
      ],
    });
    const copy = sqliteInbox(join(cwd, "b.db"));
    await copy.open();
    expect(await contentOf(copy)).toEqual(content);
    await copy.close();
    const again = await runCli(["inbox", "copy", "--salvage", "a.db", "b.db", "--json"], { cwd });
    expect(again).toMatchObject({ code: 2, records: [{ code: "usage" }] });
  });

  it("refuses a file in use, one that is not there, and a database", async () => {
    const { cwd } = await filled();
    const salvage = async (from: string) =>
      (await runCli(["inbox", "copy", "--salvage", from, "b.db", "--json"], { cwd })).records;
    expect(await salvage("none.db")).toMatchObject([{ code: "inbox_unavailable" }]);
    expect(await salvage("postgres://127.0.0.1/app")).toMatchObject([
      { code: "inbox_unsupported" },
    ]);
    await listening(["--inbox", "a.db"], cwd);
    expect(await salvage("a.db")).toMatchObject([{ code: "inbox_busy" }]);
    expect(existsSync(join(cwd, "b.db"))).toBe(false);
  });
});

describe("`inbox maintain`", () => {
  it("deletes what is old from a file", async () => {
    const { cwd } = await filled(); // received in 2024
    const argv = ["inbox", "maintain", "--inbox", "a.db", "--json"];
    const { code, records } = await runCli(argv, { cwd });
    expect(code).toBe(0);
    expect(records).toMatchObject([
      { type: "maintain", daysMade: 0, daysDropped: 0, pruned: 2, slimmed: 0 },
    ]);
  });

  it("refuses an age at which an event could be taken for new", async () => {
    const { code } = await runCli(["inbox", "maintain", "--older-than", "1d"]);
    expect(code).toBe(2);
  });
});

describe("`inbox migrate`", () => {
  it("prints the SQL of all versions and the grants, without a server", async () => {
    const url = "postgres://127.0.0.1:1/app?schema=hooks";
    const argv = ["inbox", "migrate", "--print", "--all", "--grant-to", "App User", "--inbox", url];
    const { code, stdout } = await runCli(argv);
    expect(code).toBe(0);
    expect(stdout).toContain(migrationSql("hooks", 0));
    expect(stdout).toContain('GRANT USAGE ON SCHEMA hooks TO "App User";');
    expect(stdout).not.toContain("@.");
  });

  it.each([
    [["--inbox", "a.db"], 3, "inbox_unsupported"],
    [[], 3, "inbox_unsupported"],
    [["--inbox", "postgres://127.0.0.1/app", "--all"], 2, "usage"],
  ])("refuses %j", async (argv, exit, code) => {
    const run = await runCli(["inbox", "migrate", ...argv, "--json"]);
    expect(run).toMatchObject({ code: exit, records: [{ code }] });
  });

  it("quotes the name of a role that needs it", () => {
    expect(grantsSql("a", 'x"; DROP')).toContain('TO "x""; DROP";');
    expect(grantsSql("a", "app")).toContain("TO app;");
  });
});
