import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { grantsSql, migrationSql } from "../../../src/inbox/postgres/migrations.ts";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { runCli } from "../fake-io.ts";
import { contentAt, filledFolder, inboxFolder } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";

/** A folder with an inbox file that has entries of every state. */
async function filled() {
  const { cwd, cli, content } = await filledFolder();
  const copy = (words: string) => cli(`inbox copy ${words}`);
  return { cwd, cli, copy, content };
}

describe("`inbox copy`", () => {
  it("copies a file, says what it did, and changes nothing the second time", async () => {
    const { cwd, content, copy } = await filled();
    const { code, stdout } = await copy("a.db b.db");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^9 entries copied and compared: SHA-256 [0-9a-f]{64}\n$/);
    const { records } = await copy("a.db --inbox b.db --json");
    expect(records.map(({ type }) => type)).toEqual(["progress", "progress", "copied"]);
    const paths = { from: join(cwd, "a.db"), to: join(cwd, "b.db") };
    expect(records.at(-1)).toMatchObject({ ...paths, entries: 9, before: 9 });
    expect(await contentAt(paths.to)).toEqual(content);
  });

  it("names what is paused, which it does not copy, and shows progress on a terminal", async () => {
    const { cli, cwd, copy } = await filled();
    await cli("events pause --kind payment.received --inbox a.db");
    for (const to of ["b.db", "--into c.db"]) {
      const { code, stderr } = await copy(`a.db ${to}`);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^not copied: kind payment\.received has been/m);
    }
    const isTTY = { stdin: true, stdout: true, stderr: true };
    const { stderr } = await runCli(["inbox", "copy", "a.db", "d.db"], { cwd, isTTY });
    expect(stderr).toMatch(/100 % {2}9 of 9 copied.*100 % {2}9 of 9 compared/s);
  });

  it.each([
    ["nowhere.db b.db", 3, "inbox_unavailable"],
    ["a.db", 2, "usage"],
    ["a.db ./a.db", 2, "usage"],
    ["a.db memory:", 3, "inbox_unsupported"],
    ["a.db mysql://user:canary@host/app", 3, "inbox_unsupported"],
  ])("refuses %s, and makes no file", async (words, exit, code) => {
    const { cwd, copy } = await filled();
    const run = await copy(`${words} --json`);
    expect(run).toMatchObject({ code: exit, records: [{ type: "error", code }] });
    expect(run.stdout + run.stderr).not.toContain("canary");
    expect(existsSync(join(cwd, "b.db"))).toBe(false);
  });

  it("refuses an inbox and a link to it, of which one would be deleted after a merge", async () => {
    const { cwd, copy } = await filled();
    symlinkSync(join(cwd, "a.db"), join(cwd, "link.db"));
    for (const words of ["a.db link.db", "link.db --into a.db"]) {
      const { code, said } = await copy(words);
      expect([code, said]).toEqual([2, expect.stringContaining("got the same one twice")]);
    }
  });

  it("refuses to mix two inboxes, and one that `listen` has open, unless it is forced", async () => {
    const { cwd, copy } = await filled();
    const other = await inboxFolder("b.db", cwd);
    await keep(other.inbox, numberedEntry(500));
    await other.inbox.close();
    const mixed = await copy("a.db b.db --json");
    expect(mixed).toMatchObject({ code: 2, records: [{ code: "usage" }] });
    await listening(["--inbox", "a.db"], cwd);
    const refused = await copy("a.db c.db --json");
    expect(refused).toMatchObject({ code: 3, records: [{ code: "inbox_busy" }] });
    expect(refused.said).toContain("--force");
    expect(await copy("a.db c.db --force")).toMatchObject({ code: 0 });
  });
});

describe("`inbox copy --salvage`", () => {
  it("copies what can be read of a damaged file, and says what it did", async () => {
    const { cwd, content, copy } = await filled();
    const bytes = readFileSync(join(cwd, "a.db"));
    writeFileSync(join(cwd, "a.db"), bytes.fill(0x5a, 0, 4096));
    const damaged = await copy("a.db b.db --json");
    expect(damaged).toMatchObject({ code: 3, records: [{ code: "inbox_corrupt" }] });
    expect(await copy("--salvage a.db b.db --json")).toMatchObject({
      code: 0,
      records: [
        { type: "progress", step: "salvage", entries: 10, total: 10 },
        { type: "salvaged", entries: 9, rebuilt: [], lost: [] },
      ],
    });
    expect(await contentAt(join(cwd, "b.db"))).toEqual(content);
    const again = await copy("--salvage a.db b.db --json");
    expect(again).toMatchObject({ code: 2, records: [{ code: "usage" }] });
  });

  it("refuses a file in use, one that is not there, and a database", async () => {
    const { cwd, copy } = await filled();
    const codes = async (from: string) =>
      (await copy(`--salvage ${from} b.db --json`)).records.map(({ code }) => code);
    expect(await codes("none.db")).toEqual(["inbox_unavailable"]);
    expect(await codes("postgres://127.0.0.1/app")).toEqual(["inbox_unsupported"]);
    await listening(["--inbox", "a.db"], cwd);
    expect(await codes("a.db")).toEqual(["inbox_busy"]);
    expect(existsSync(join(cwd, "b.db"))).toBe(false);
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
    expect(grantsSql("a", 'x"; DROP')).toContain('TO "x""; DROP";');
    expect(grantsSql("a", "app")).toContain("TO app;");
  });
});
