import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeFolder } from "../../src/base/make-folder.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "hookporter-folder-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it("a folder and those above it are made with the mode, and one that is there stays as it is", () => {
  const path = join(folder(), "a", "b", "c");
  makeFolder(path, 0o700);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it("a file in the way is an error, whether it is the folder or one above", () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow(/EEXIST/);
  expect(() => makeFolder(join(file, "a"))).toThrow(/ENOTDIR/);
  expect(() => makeFolder(join(file, "a", "b"))).toThrow(/ENOTDIR/);
});

it.skipIf(process.platform !== "linux")(
  "a file system that refuses folders is an error, not a wait",
  () => {
    expect(() => makeFolder("/proc/hookporter/a")).toThrow(/ENOENT/);
  },
);
