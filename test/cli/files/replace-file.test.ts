import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFile, replaceFile } from "../../../src/cli/files/replace-file.ts";
import { tempFolder } from "../fake-io.ts";

it("replaces a file with one that only its owner can read, and leaves no draft", () => {
  const folder = tempFolder();
  const path = join(folder, "state.json");
  writeFileSync(path, "before", { mode: 0o644 });
  replaceFile(path, "after");
  expect(readFileSync(path, "utf8")).toBe("after");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["state.json"]);
});

it("replaces a symbolic link and leaves what it points to", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "other"), "other");
  symlinkSync(join(folder, "other"), join(folder, "link"));
  replaceFile(join(folder, "link"), "new");
  expect(readFileSync(join(folder, "link"), "utf8")).toBe("new");
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("other");
});

it("leaves no draft when a file cannot be replaced", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "taken"));
  expect(() => replaceFile(join(folder, "taken"), "x")).toThrow();
  expect(readdirSync(folder)).toEqual(["taken"]);
});

it("makes a file whole, for its owner alone, and leaves one that is there", () => {
  const folder = tempFolder();
  const path = join(folder, "secret");
  expect(makeFile(path, "first")).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(makeFile(path, "second")).toBe(false);
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(readdirSync(folder)).toEqual(["secret"]);
});
