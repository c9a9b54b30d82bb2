import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unusable, unusableFrom } from "../../src/base/unusable.ts";
import { tempFolder } from "../cli/fake-io.ts";

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
