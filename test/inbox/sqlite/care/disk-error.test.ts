import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { diskError } from "../../../../src/inbox/sqlite/care/disk-error.ts";

/** A file of Linux whose first page nothing can read. */
const UNREADABLE = "/proc/self/mem";

it.skipIf(process.platform !== "linux")("a disk's error is found in an inbox file and in its log", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-disk-error-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "inbox.db");
  expect(diskError(path)).toBeUndefined();
  writeFileSync(path, Buffer.alloc(3_000_000));
  expect(diskError(path)).toBeUndefined();
  symlinkSync(UNREADABLE, `${path}-wal`);
  expect(diskError(path)).toContain("EIO");
  expect(diskError(UNREADABLE)).toContain("EIO");
});
