import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("the demo runs to its end: the receiver, then the round trip with the sandbox", {
  timeout: 90_000,
}, async () => {
  const root = join(import.meta.dirname, "..");
  const { stdout } = await promisify(execFile)(process.execPath, ["tools/demo.js"], { cwd: root });
  expect(stdout.match(/^ok /gm)?.length).toBe(22);
  expect(stdout).not.toMatch(/^WRONG/m);
});
