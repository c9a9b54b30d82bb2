import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, it } from "vitest";
import {
  FRAME,
  placePath,
  programFolders,
  realPath,
  settingsFolder,
} from "../../../src/base/system/paths.ts";
import { tempFolder } from "../../cli/fake-io.ts";

it("a path is that of the file on disk, through links", () => {
  const folder = realpathSync(tempFolder());
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real"), join(folder, "link"));
  expect(realPath(join(folder, "link"))).toBe(join(folder, "real"));
  expect(() => realPath(join(folder, "none"))).toThrow(/ENOENT/);
});

it.runIf(process.platform !== "linux")("a path has the letters that the file has on disk", () => {
  const folder = realpathSync.native(tempFolder());
  mkdirSync(join(folder, "Inbox"));
  expect(realPath(join(folder, "INBOX"))).toBe(`${folder}${sep}Inbox`);
});

it("the folders of programs are in PATH, on Windows in any case and perhaps in quotes", () => {
  expect(programFolders({ PATH: "/a:/b" }, "linux")).toEqual(["/a", "/b"]);
  expect(programFolders({ Path: "/a:/b" }, "darwin")).toEqual([""]);
  expect(programFolders({ Path: 'C:\\a;;"C:\\b c"' }, "win32")).toEqual(["C:\\a", "C:\\b c"]);
  expect(programFolders({}, "win32")).toEqual([]);
});

it("programs keep settings in another folder on each system", () => {
  expect(settingsFolder({ HOME: "/h" }, "linux")).toBe("/h/.config");
  expect(settingsFolder({ HOME: "/h", XDG_CONFIG_HOME: "/c" }, "linux")).toBe("/c");
  expect(settingsFolder({ HOME: "/h", XDG_CONFIG_HOME: "/c" }, "darwin")).toBe(
    "/h/Library/Application Support",
  );
  expect(settingsFolder({ LOCALAPPDATA: "C:\\l" }, "win32")).toBe("C:\\l");
  expect(settingsFolder({}, "linux")).toBeUndefined();
});

it.each([
  ["    at pay (/app/pay.ts:3:7)", "/app/pay.ts", "3", "7"],
  ["    at /app/pay.ts:3:7", "/app/pay.ts", "3", "7"],
  ["    at async /my app/pay.ts:3:7", "/my app/pay.ts", "3", "7"],
  ["    at async Object.pay [as handler] (/my app/pay.ts:3)", "/my app/pay.ts", "3", undefined],
  ["    at C:\\Users\\José\\my app\\pay.ts:3:7", "C:\\Users\\José\\my app\\pay.ts", "3", "7"],
  ["    at pay (C:\\Program Files (x86)\\pay.ts:3:7)", "C:\\Program Files (x86)\\pay.ts", "3", "7"],
  ["    at async C:\\Program Files (x86)\\pay.ts:3:7", "C:\\Program Files (x86)\\pay.ts", "3", "7"],
  ["    at async node:internal/timers:3:7", undefined, "3", "7"],
])("the place of %j is known", (frame, path, line, column) => {
  const [, before = "", place = "", ...rest] = FRAME.exec(frame) ?? [];
  expect([placePath(place), ...rest.slice(0, 2)]).toEqual([path, line, column]);
  expect(frame.startsWith(before + place)).toBe(true);
});

it.each([
  "    at Array.map (<anonymous>)",
  "    at eval (eval at pay (/app/pay.ts:3:7), <anonymous>:1:1)",
  "Error: at least one",
])("%j has no place", (line) => expect(FRAME.exec(line)).toBeNull());

it("a module's address is a place", () => {
  const [address, path] =
    process.platform === "win32"
      ? ["file:///C:/my%20app/pay.mjs", "C:\\my app\\pay.mjs"]
      : ["file:///my%20app/pay.mjs", "/my app/pay.mjs"];
  expect(placePath(address)).toBe(path);
  expect(placePath("file://%zz")).toBeUndefined();
});
