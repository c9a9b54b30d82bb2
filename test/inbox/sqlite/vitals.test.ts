import { statSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { inboxFile } from "../../receiver/sample.ts";
import { keep, numberedEntry } from "../entries.ts";
import { threadedInbox } from "../threaded.ts";
import { open } from "./opened.ts";

describe("the figures of an inbox file", () => {
  it("are the sizes of the file and of its log, and the free disk", async () => {
    const path = inboxFile();
    const inbox = await open(path);
    for (let n = 0; n < 20; n++) await keep(inbox, numberedEntry(n));
    const { bytes, logBytes = 0, freeBytes } = await inbox.size();
    expect(logBytes).toBe(statSync(`${path}-wal`).size);
    expect(logBytes).toBeGreaterThan(0);
    expect(bytes).toBe(statSync(path).size + logBytes);
    expect(freeBytes).toBeGreaterThan(1_000_000);
  });

  it("reject with an error of the inbox if the file is gone", async () => {
    const inbox = sqliteInbox("/nowhere/inbox.db");
    await expect(inbox.size()).rejects.toMatchObject({
      code: "inbox_unavailable",
      message: expect.stringContaining("/nowhere/inbox.db"),
    });
  });

  it.each([
    ["this thread", sqliteInbox],
    ["the writer's thread", threadedInbox],
  ])("report each commit of %s", async (_, inboxOf) => {
    const times: number[] = [];
    const inbox = inboxOf(inboxFile());
    await inbox.open({ onCommit: (ms) => times.push(ms) });
    onTestFinished(() => inbox.close());
    times.length = 0;
    await keep(inbox, numberedEntry(1));
    expect(times).toEqual([expect.any(Number)]);
    expect(times[0]).toBeGreaterThan(0);
  });
});
