import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("the bench can be bundled, since it imports only what is published, and refuses an unknown flag", () => {
  const script = join(import.meta.dirname, "..", "..", "scripts", "bench.js");
  const { status, stderr } = spawnSync(process.execPath, [script, "--nothing"], { encoding: "utf8" });
  expect(stderr).toMatch(/^Unknown option '--nothing'/);
  expect(status).not.toBe(0);
});
