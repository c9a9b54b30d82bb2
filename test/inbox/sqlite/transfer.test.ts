import { copyFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import { copyInbox } from "../../../src/inbox/transfer/copy.ts";
import type { Transfer } from "../../../src/inbox/transfer/transfer.ts";
import { AT, keep, numberedEntry, settlementOf } from "../entries.ts";
import { endedAndRunning } from "../transfer/every-state.ts";
import { connect } from "./changed-file.ts";
import { newPath, using } from "./opened.ts";

async function transfer<Result>(
  path: string,
  access: "read" | "own",
  use: (transfer: Transfer) => Promise<Result>,
): Promise<Result> {
  const opened = await openFileTransfer(path, access);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

const copy = (from: string, to: string) =>
  transfer(from, "read", (a) => transfer(to, "own", (b) => copyInbox(a, b)));

describe("an inbox file", () => {
  it("that is not there cannot be read, and is not made", async () => {
    const path = newPath();
    for (const _ of [1, 2])
      await expect(openFileTransfer(path, "read")).rejects.toMatchObject({
        code: "inbox_unavailable",
      });
  });

  it("cannot be written to if it was opened to be read, and says so", async () => {
    const path = newPath();
    await using(path, (inbox) => keep(inbox, numberedEntry(1)));
    await transfer(path, "read", async (transfer) => {
      await expect(transfer.markPruned([{ source: "service", until: AT }])).rejects.toMatchObject({
        code: "inbox_read_only",
      });
      expect(await transfer.pruned()).toEqual([]);
    });
  });

  it("that was copied into is whole without its log once it is closed, although others have it open", async () => {
    const from = newPath();
    const to = newPath();
    await using(from, (inbox) => keep(inbox, numberedEntry(1)));
    await using(to, async () => {});
    connect(to).prepare("SELECT count(*) FROM entry").get();
    await copy(from, to);
    const alone = newPath();
    copyFileSync(to, alone);
    expect(await using(alone, (inbox) => inbox.counts())).toMatchObject({ waiting: 1 });
  });
});

describe("a copy of an inbox file", () => {
  it("takes the result of an entry that ran, and has no lease of one that has ended", async () => {
    const from = newPath();
    const to = newPath();
    const { ended, running } = await using(from, endedAndRunning);
    await copy(from, to);
    await using(to, async (inbox) => {
      expect(await inbox.settle(settlementOf(ended), AT)).toBe(false);
      expect(await inbox.settle(settlementOf(running), AT)).toBe(true);
    });
  });
});
