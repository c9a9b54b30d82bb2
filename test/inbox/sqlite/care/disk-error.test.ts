import { readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tryOr } from "../../../../src/base/try-or.ts";
import { diskError } from "../../../../src/inbox/sqlite/care/disk-error.ts";
import { newPath } from "../opened.ts";

/** A file of Linux whose first page nothing can read. */
const UNREADABLE = "/proc/self/mem";

it.skipIf(process.platform !== "linux")(
  "a disk's error is found in an inbox file and in its log",
  () => {
    const path = newPath();
    expect(diskError(path)).toBeUndefined();
    writeFileSync(path, Buffer.alloc(3_000_000));
    expect(diskError(path)).toBeUndefined();
    symlinkSync(UNREADABLE, `${path}-wal`);
    expect(diskError(path)).toContain("EIO");
    expect(diskError(UNREADABLE)).toContain("EIO");
  },
);

it.skipIf(process.platform !== "linux")(
  "an inbox file is read to its end, however large, and closed",
  () => {
    const path = newPath();
    writeFileSync(path, Buffer.alloc(5_000_000));
    const bytesRead = () =>
      Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
    const before = bytesRead();
    expect(diskError(path)).toBeUndefined();
    expect(bytesRead() - before).toBeGreaterThanOrEqual(5_000_000);
    const open = readdirSync("/proc/self/fd").map((descriptor) =>
      tryOr(() => readlinkSync(`/proc/self/fd/${descriptor}`), "closed by now"),
    );
    expect(open).not.toContain(path);
  },
);
