import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("package.json and tsconfig.build.json name the entry points of entries.json", () => {
  const script = join(import.meta.dirname, "..", "..", "tools", "entries.js");
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
