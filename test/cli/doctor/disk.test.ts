import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { disk } from "../../../src/cli/doctor/disk.ts";
import type { Setup } from "../../../src/cli/doctor/setup.ts";

it("a disk on which a delivery does not fit is a fault, and a nearly full one a warning", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-doctor-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]).status === 0;
  onTestFinished(() => {
    if (isMounted) spawnSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (!isMounted) return context.skip("needs the right to mount a small file system");
  const setup = {
    inbox: { file: join(folder, "inbox.db") },
    file: async () => undefined,
  } as unknown as Setup;
  expect(await disk.run(setup)).toMatchObject([{ status: "warn" }]);
  writeFileSync(join(folder, "ballast"), Buffer.alloc(5_000_000));
  expect(await disk.run(setup)).toMatchObject([
    { status: "fail", message: expect.stringContaining("it is answered 503") },
  ]);
});
