import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../docs/markdown.ts";

it("a file of tests has no suffix but those that say which run it belongs to", () => {
  const files = readdirSync(join(root, "test"), { recursive: true }).map(String);
  const tests = files.filter((file) => /\.test\.tsx?$/.test(file));
  expect(tests.length).toBeGreaterThan(500);
  const known = /^[\w-]+(?:\.system)?(?:\.long)?\.test\.ts$/;
  expect(tests.filter((file) => !known.test(basename(file)))).toEqual([]);
});

it("package.json and tsconfig.build.json name the entry points of entries.json", () => {
  const argv = [join(root, "tools", "entries.js"), "--check"];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
