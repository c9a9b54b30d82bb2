import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../../src/base/make-folder.ts";
import { unusable, unusableFrom } from "../../src/base/unusable.ts";
import { tempFolder } from "../cli/fake-io.ts";

it("a folder and those above it are made with the mode, and one that is there stays as it is", () => {
  const path = join(tempFolder(), "a", "b", "c");
  makeFolder(path, 0o700);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it("a file in the way is an error, whether it is the folder or one above, and so is a file system that refuses folders", () => {
  const file = join(tempFolder(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow(/EEXIST/);
  expect(() => makeFolder(join(file, "a"))).toThrow(/ENOTDIR/);
  expect(() => makeFolder(join(file, "a", "b"))).toThrow(/ENOTDIR/);
  if (process.platform === "linux")
    expect(() => makeFolder("/proc/hookporter/a")).toThrow(/ENOENT/); // and no wait
});

describe("unusable", () => {
  const failure = (code: string, more: object = {}) =>
    Object.assign(new Error(code), { code, ...more });

  it.each([
    ["ENOSPC", "the disk is full: free some space"],
    ["EROFS", "read-only: use another folder"],
    ["ELOOP", "check the path"],
  ])("explains %s", (code, words) => {
    expect(unusable(join(tempFolder(), "x"), failure(code)).message).toContain(words);
  });

  it("adds what else can be done", () => {
    expect(unusable("/x", failure("EROFS"), "pass --inbox").message).toMatch(/, or pass --inbox$/);
  });

  it("is made from a write that failed too, though that names no path", () => {
    expect(unusableFrom(failure("ENOSPC", { syscall: "write" }))).toMatchObject({
      code: "folder_unusable",
      message: "could not use a file: the disk is full: free some space",
    });
  });

  it("is made from errors of the file system alone, and not if the file is only missing", () => {
    const system = { path: "/x", syscall: "open" };
    expect(unusableFrom(failure("EACCES", system))).toMatchObject({ code: "folder_unusable" });
    for (const other of [
      failure("ENOENT", system),
      failure("EACCES"),
      new Error("x"),
      "x",
      null,
      undefined,
    ])
      expect(unusableFrom(other)).toBeUndefined();
  });
});
