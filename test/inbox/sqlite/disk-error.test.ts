import { expect, it, onTestFinished, vi } from "vitest";
import { Connection } from "../../../src/inbox/sqlite/connection.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT, numberedEntry } from "../entries.ts";

const ofSqlite = (errcode: number, message: string) =>
  Object.assign(new Error(message), { errcode });
const IO_ERROR = ofSqlite(10 + 256, "disk I/O error");
const MALFORMED = ofSqlite(11, "database disk image is malformed");

async function openInbox() {
  const inbox = sqliteInbox(`${tempFolder()}/inbox.db`);
  await inbox.open();
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await inbox.close();
  });
  return inbox;
}

it("an error of the disk is one, and what looks like damage afterwards is the disk's, too", async () => {
  const inbox = await openInbox();
  const write = vi.spyOn(Connection.prototype, "write").mockRejectedValue(IO_ERROR);
  await expect(inbox.append(numberedEntry(1))).rejects.toMatchObject({ code: "disk_error" });
  expect(inbox.damage).toBeUndefined(); // the next commit may succeed
  write.mockRejectedValue(MALFORMED);
  const claim = () => inbox.claim({ now: AT, limit: 1, leaseTime: 1000 });
  for (const fails of [
    claim,
    () =>
      inbox.prune({ datedUntil: AT, receivedUntil: AT, settledUntil: AT } as never, { limit: 1 }),
  ]) {
    const error = await fails().catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "disk_error", cause: MALFORMED });
    expect((error as Error).message).not.toContain("recovery.md");
  }
  expect(inbox.damage).toMatchObject({ code: "disk_error" });
  await expect(inbox.append(numberedEntry(1))).rejects.toMatchObject({ code: "disk_error" });
  vi.spyOn(Connection.prototype, "read").mockRejectedValue(MALFORMED);
  await expect(inbox.list({})).rejects.toMatchObject({ code: "disk_error" });
});

it("damage without an error of the disk before it is the file's", async () => {
  const inbox = await openInbox();
  vi.spyOn(Connection.prototype, "write").mockRejectedValue(MALFORMED);
  await expect(inbox.append(numberedEntry(1))).rejects.toMatchObject({ code: "inbox_corrupt" });
  expect(inbox.damage).toMatchObject({ code: "inbox_corrupt" });
});
