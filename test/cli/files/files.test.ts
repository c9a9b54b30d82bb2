import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { unusableFrom } from "../../../src/base/unusable.ts";
import { makeFile, replaceFile } from "../../../src/cli/files/replace-file.ts";
import { readOwnFile } from "../../../src/cli/files/state-folder.ts";
import { runCli, tempFolder } from "../fake-io.ts";

it("replaces a file with one that only its owner can read, and leaves no draft, also when it cannot be replaced", () => {
  const folder = tempFolder();
  const path = join(folder, "state.json");
  writeFileSync(path, "before", { mode: 0o644 });
  replaceFile(path, "after");
  expect(readFileSync(path, "utf8")).toBe("after");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  mkdirSync(join(folder, "taken"));
  expect(() => replaceFile(join(folder, "taken"), "x")).toThrow();
  expect(readdirSync(folder)).toEqual(["state.json", "taken"]);
});

it("replaces a symbolic link and leaves what it points to", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "other"), "other");
  symlinkSync(join(folder, "other"), join(folder, "link"));
  replaceFile(join(folder, "link"), "new");
  expect(readFileSync(join(folder, "link"), "utf8")).toBe("new");
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("other");
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

it.each(["EMFILE", "ENFILE"])(
  "%s, from wherever it comes, names the limit and how to raise it",
  (code) => {
    const thrown = Object.assign(new Error(`${code}: too many open files`), { code });
    expect(unusableFrom(thrown)).toMatchObject({
      code: "folder_unusable",
      message: expect.stringMatching(
        new RegExp(`^expected to open another file, got ${code}: .*\`ulimit -n 4096\`$`),
      ),
      cause: thrown,
    });
    expect(unusableFrom(new Error("another"))).toBeUndefined();
  },
);
