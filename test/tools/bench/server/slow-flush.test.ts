import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { ADDED_MS, slowFlush } from "../../../../tools/bench/server/slow-flush.ts";

const slow = slowFlush(process.execPath);

const PROGRAM = `
  const { fsyncSync, mkdtempSync, openSync, rmSync, writeSync } = require("node:fs");
  const folder = mkdtempSync(require("node:path").join(require("node:os").tmpdir(), "hookporter-"));
  const file = openSync(folder + "/flushed", "w");
  const times = Array.from({ length: 5 }, () => {
    writeSync(file, "x");
    const start = performance.now();
    fsyncSync(file);
    return performance.now() - start;
  });
  rmSync(folder, { recursive: true });
  process.stdout.write(String(Math.min(...times)));
`;

it.runIf("command" in slow)("makes every flush of a program take longer", () => {
  const [command = "", ...flags] = "command" in slow ? slow.command : [];
  const { stdout } = spawnSync(command, [...flags, process.execPath, "-e", PROGRAM], {
    encoding: "utf8",
  });
  expect(Number(stdout)).toBeGreaterThanOrEqual(ADDED_MS);
});

it("the reason is given if no flush can be made slow", () => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  try {
    expect(slowFlush(process.execPath)).toMatchObject({
      missing: expect.stringContaining("strace"),
    });
  } finally {
    process.env.PATH = PATH;
  }
});
