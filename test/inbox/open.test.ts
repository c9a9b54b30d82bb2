import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { selectInbox } from "../../src/inbox/open.ts";
import { sampleEntry } from "./entries.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "hookporter-open-"));

afterAll(() => rmSync(FOLDER, { recursive: true }));

describe("selectInbox", () => {
  it("returns an inbox unchanged", () => {
    const inbox = memoryInbox();
    expect(selectInbox(inbox)).toBe(inbox);
  });

  it('returns a new memory inbox for "memory:"', async () => {
    const [a, b] = [selectInbox("memory:"), selectInbox("memory:")];
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

  it.each(["", ":memory:", "mysql://localhost/db", "redis://x", "file:///tmp/x", "HTTPS://example.com"])(
    "refuses %j",
    (option) => {
      expect(() => selectInbox(option)).toThrow(
        expect.objectContaining({ name: "ConfigurationError", code: "inbox_unsupported" }),
      );
    },
  );

  it("says what it got", () => {
    const expected = 'expected an inbox as a file path, a postgres:// URL or "memory:", got';
    expect(() => selectInbox("")).toThrow(`${expected} an empty string`);
    expect(() => selectInbox("redis://localhost")).toThrow(`${expected} a redis URL`);
  });

  it.each(["postgres://localhost/db", "postgresql://user@localhost:5432/db?schema=webhooks"])(
    "returns an inbox on PostgreSQL for %j, and connects to nothing before it is opened",
    async (option) => {
      await expect(selectInbox(option).counts()).rejects.toMatchObject({ code: "closed" });
    },
  );

  it.each(["./a/redis://b", "C://inbox.db", "redis:/x"])("takes %j for a path", (option) => {
    expect(() => selectInbox(option)).not.toThrow();
  });

  it("does not repeat a URL, which may contain a password", () => {
    for (const url of ["mysql://user:canary-pw@localhost/db", "postgres://user:canary-pw@local host/db"]) {
      expect(() => selectInbox(url)).toThrow(expect.objectContaining({ name: "ConfigurationError" }));
      expect(() => selectInbox(url)).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining("canary-pw") }),
      );
    }
  });
});
