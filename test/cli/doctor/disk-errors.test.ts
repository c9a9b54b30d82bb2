import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { inboxFolder } from "../inbox-folder.ts";

const bin = join(import.meta.dirname, "..", "..", "..", "dist", "bin.js");

beforeEach((context) => {
  if (spawnSync("strace", ["-o", "/dev/null", "true"]).status !== 0)
    context.skip("needs strace, and the right to trace");
});

/** Runs a command on a sound inbox, while calls of the system fail as on a disk with errors. */
async function onBrokenDisk(calls: string, command: readonly string[]) {
  const { cwd, inbox, path: file } = await inboxFolder();
  await keep(inbox, numberedEntry(1));
  await inbox.close();
  const which = calls === "fdatasync" ? [] : ["-P", file];
  const traced = `-f -qq -o /dev/null -e trace=${calls} -e inject=${calls}:error=EIO`.split(" ");
  const program = [process.execPath, bin, ...command, "--inbox", file, "--json"];
  const argv = [...traced, ...which, ...program];
  const { status, stdout } = spawnSync("strace", argv, { cwd, encoding: "utf8" });
  const lines = stdout.split("\n").filter(Boolean);
  const records = lines.map((line): Record<string, unknown> => JSON.parse(line));
  return { status, stdout, records };
}

it.each(["openat", "pread64,read"])(
  "doctor blames the disk if %s fails, and does not send to the page on damage",
  async (calls) => {
    const { status, stdout, records } = await onBrokenDisk(calls, ["doctor"]);
    const found = (check: string) => records.filter((record) => record.check === check);
    expect(status).toBe(1);
    expect(found("disk")).toMatchObject([
      { status: "fail", message: expect.stringContaining("reports errors") },
    ]);
    expect(found("content")).toMatchObject([
      { status: "fail", fix: expect.stringContaining("check the disk") },
    ]);
    expect(found("inbox")).toEqual([]);
    expect(stdout).not.toContain("recovery.md");
  },
);

it("doctor says so if the disk reports errors only when it is written", async () => {
  const { records } = await onBrokenDisk("fdatasync", ["doctor"]);
  const found = records.filter(({ check }) => check === "disk" || check === "content");
  expect(found).toMatchObject([
    { check: "disk", status: "fail", message: expect.stringContaining("when it is written: EIO") },
    { check: "content", status: "ok" },
  ]);
});

it("inbox check does not call a file damaged that its disk does not let it read", async () => {
  const { status, stdout, records } = await onBrokenDisk("pread64,read", ["inbox", "check"]);
  expect({ status, records }).toMatchObject({
    status: 1,
    records: [{ type: "inbox", intact: null, diskError: expect.stringContaining("EIO") }],
  });
  expect(stdout).not.toContain("recovery.md");
});
