import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { selectInbox } from "../../src/inbox/open.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sampleEntry } from "./entries.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "hookporter-open-"));

afterAll(() => rmSync(FOLDER, { recursive: true }));

describe("selectInbox", () => {
  it("returns the store behind a handle", () => {
    const inbox = memoryInbox();
    expect(selectInbox(handleOf(inbox))).toBe(inbox);
  });

  it('returns a new memory inbox for "memory:"', async () => {
    const a = selectInbox("memory:");
    const b = selectInbox("memory:");
    await a.append(sampleEntry());
    expect(await b.list({})).toEqual([]);
    expect(existsSync("memory:")).toBe(false);
  });

  it("returns a file inbox for a path, and creates no file before it is opened", async () => {
    const path = join(FOLDER, "inbox.sqlite");
    const inbox = selectInbox(path);
    expect(existsSync(path)).toBe(false);
    await inbox.open();
    await inbox.close();
    expect(existsSync(path)).toBe(true);
  });

  it.each([
    "  ",
    ":memory:",
    "memory:x",
    "redis:/x",
    "HTTPS://example.com",
    "sqlite:./a.db",
    "sqlite:///a.db",
    "postgres:a",
    "$\u007bDATA}/a.db",
    "$HOME/a.db",
    "/data/$ENV/a.db",
    "a-$\u007bENV}.db",
    "%APPDATA%\\a.db",
    "~me/a.db",
    "'a.db'",
    '"/data/a.db"',
  ])("refuses %j", (option) => {
    expect(() => selectInbox(option)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "inbox_unsupported" }),
    );
  });

  it.each([
    ["", "got an empty string"],
    ["redis://localhost", "got a redis URL"],
    ["file:./a.db", "write ./a.db"],
    ["file:///data/a.db", "write /data/a.db"],
    ["file:a.db?mode=rwc", "write a.db"],
    ["file::memory:", 'write "memory:"'],
    ["sqlite:a.db", "write a.db"],
    ["sqlite://user:hush@host/a.db", "name a file, such as hookporter.db"],
    ["mysql:user:hush@host", "name a file, such as hookporter.db"],
    ["mysql://user:hush@localhost/db", "got a mysql URL"],
    ["~/a.db", "write the whole path"],
  ])("says of %j: %s, and repeats no URL, which may contain a password", (option, fix) => {
    expect(() => selectInbox(option)).toThrow(
      expect.objectContaining({
        code: "inbox_unsupported",
        message: expect.stringContaining(fix),
      }),
    );
    expect(() => selectInbox(option)).not.toThrow("hush");
  });

  it("takes a folder that has a variable's name, if it exists", () => {
    const folder = join(FOLDER, "my $HOME app", "100%A%");
    expect(() => selectInbox(join(folder, "a.db"))).toThrow("a path with a variable");
    mkdirSync(folder, { recursive: true });
    expect(() => selectInbox(join(folder, "a.db"))).not.toThrow();
    expect(() => selectInbox(join(folder, "$NAME.db"))).toThrow("a path with a variable");
  });

  it.each(["postgres://localhost/db", "postgresql://user@localhost:5432/db?schema=webhooks"])(
    "returns an inbox on PostgreSQL for %j, and connects to nothing before it is opened",
    async (option) => {
      await expect(selectInbox(option).counts()).rejects.toMatchObject({ code: "closed" });
    },
  );

  it.each([
    "./a/redis://b",
    "C://inbox.db",
    "C:\\data\\a.db",
    "./redis:/x",
    "PROGRA~1/a.db",
    "50%.db",
    "C$/a.db",
  ])("takes %j for a path", (option) => {
    expect(() => selectInbox(option)).not.toThrow();
  });
});
