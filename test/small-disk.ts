import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";

/**
 * A file system of so few megabytes, which ends with the test; without the right to mount one, the
 * test is skipped.
 */
export function smallDisk(context: TestContext, megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-disk-"));
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
  onTestFinished(() => {
    if (mount.status === 0) spawnSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (mount.status !== 0) context.skip("needs the right to mount a small file system");
  return folder;
}
