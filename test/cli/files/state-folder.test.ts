import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readOwnFile } from "../../../src/cli/files/state-folder.ts";
import { runCli, tempFolder } from "../fake-io.ts";

it("a secret's file is read without its line end, and refused with a fix that works if others may read it", (context) => {
  if (process.platform === "win32") context.skip("Windows has no modes of this kind");
  const path = join(tempFolder(), "secret");
  expect(readOwnFile(path)).toBeUndefined();
  writeFileSync(path, "abc\n", { mode: 0o644 });
  expect(() => readOwnFile(path)).toThrow(
    "got other permissions: run chmod 600 on it, or remove it",
  );
  chmodSync(path, 0o600);
  expect(readOwnFile(path)).toBe("abc");
});

it("a link or a folder in its place is to be removed: chmod would change what a link leads to", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "other"), "abc", { mode: 0o600 });
  symlinkSync(join(folder, "other"), join(folder, "link"));
  mkdirSync(join(folder, "folder"), { mode: 0o700 });
  for (const name of ["link", "folder"])
    expect(() => readOwnFile(join(folder, name))).toThrow(/got a link or a folder: remove it$/);
});

it("an empty development secret is named, with a fix that works", async () => {
  const cwd = tempFolder();
  const path = join(cwd, ".hookporter", "secret");
  mkdirSync(join(cwd, ".hookporter"), { mode: 0o700 });
  writeFileSync(path, "\n", { mode: 0o600 });
  const { code, stderr } = await runCli(["trigger", "lead.created"], { cwd });
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining(`expected ${path} to hold a secret, got none`),
  ]);
});
