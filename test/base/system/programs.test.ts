import { EventEmitter } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandOf, endTree, findProgram, openerOf } from "../../../src/base/system/programs.ts";
import { tempFolder } from "../../cli/fake-io.ts";

/** A folder with programs; each is executable, but for those named `plain…`. */
function folderOf(...names: string[]): string {
  const folder = tempFolder();
  for (const name of names) {
    writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), name.startsWith("plain") ? 0o644 : 0o755);
  }
  return folder;
}

it.skipIf(process.platform === "win32")(
  "a program is an executable file of PATH, or a path",
  () => {
    const folder = folderOf("run", "plain");
    const surroundings = { cwd: folder, env: { PATH: `/nowhere:${folder}` } };
    expect(findProgram("run", surroundings, "linux")).toBe(join(folder, "run"));
    expect(findProgram("./run", { cwd: folder, env: {} }, "darwin")).toBe(join(folder, "run"));
    expect(findProgram("plain", surroundings, "linux")).toBeUndefined();
    expect(findProgram("none", surroundings, "linux")).toBeUndefined();
  },
);

it("on Windows, a program is found by its extension, in PATH but not in the working folder", () => {
  const folder = folderOf("npx", "npx.cmd", "node.exe", "plain.cmd");
  const surroundings = { cwd: tempFolder(), env: { Path: folder } };
  expect(findProgram("npx", surroundings, "win32")).toBe(join(folder, "npx.cmd"));
  expect(findProgram("node", surroundings, "win32")).toBe(join(folder, "node.exe"));
  expect(findProgram("plain.cmd", surroundings, "win32")).toBe(join(folder, "plain.cmd"));
  expect(findProgram("npx", { cwd: folder, env: {} }, "win32")).toBeUndefined();
  expect(findProgram("./npx", { cwd: folder, env: {} }, "win32")).toBe(join(folder, "npx.cmd"));
});

it("on Windows, a batch file is started by cmd.exe, with each word in quotes", () => {
  const folder = folderOf("npx.cmd");
  const start = (...argv: string[]) =>
    commandOf(["npx", ...argv], { cwd: folder, env: { PATH: folder } }, "win32");
  const { file, argv, windowsVerbatimArguments } = start("--yes", "a & b", "C:\\dir\\", "^(x)!");
  expect(file).toMatch(/\\System32\\cmd\.exe$/);
  expect(argv.slice(0, -1)).toEqual(["/d", "/s", "/v:off", "/c"]);
  expect(argv.at(-1)).toBe(`""${join(folder, "npx.cmd")}" "--yes" "a & b" "C:\\dir\\\\" "^(x)!""`);
  expect(windowsVerbatimArguments).toBe(true);
  for (const word of ['"', "%PATH%", "a\nb", "a\rb"])
    expect(() => start(word)).toThrow(expect.objectContaining({ code: "usage" }));
});

it("any other program is started as it is", () => {
  const folder = folderOf("node.exe");
  const surroundings = { cwd: folder, env: { PATH: folder } };
  expect(commandOf(["node", '"%'], surroundings, "win32")).toEqual({
    file: join(folder, "node.exe"),
    argv: ['"%'],
  });
  expect(commandOf(["none", "x"], surroundings, "win32")).toEqual({ file: "none", argv: ["x"] });
  expect(commandOf(["npx", '"%'], surroundings, "linux")).toEqual({ file: "npx", argv: ['"%'] });
});

it("no shell opens a file in the browser", () => {
  expect([openerOf("linux"), openerOf("darwin"), openerOf("win32")]).toEqual([
    ["xdg-open"],
    ["open"],
    ["rundll32", "url.dll,FileProtocolHandler"],
  ]);
});

it("on Windows, taskkill ends a program with all it started; without taskkill the program alone is ended", () => {
  const started: unknown[][] = [];
  const killed: string[] = [];
  const killer = Object.assign(new EventEmitter(), { unref: () => {} });
  const child = {
    pid: 7,
    exitCode: null,
    signalCode: null,
    kill: (signal: string) => killed.push(signal),
  };
  const end = (one: object) =>
    endTree(one as never, "SIGTERM", "win32", ((...argv: unknown[]) => {
      started.push(argv);
      return killer;
    }) as never);
  end(child);
  expect(started).toEqual([
    [
      expect.stringMatching(/\\System32\\taskkill\.exe$/),
      ["/T", "/F", "/PID", "7"],
      { stdio: "ignore", windowsHide: true, detached: true },
    ],
  ]);
  killer.emit("exit", 0);
  expect(killed).toEqual([]);
  killer.emit("exit", 1);
  expect(killed).toEqual(["SIGKILL"]);
  killer.emit("error", new Error("ENOENT"));
  expect(killed).toHaveLength(2);
  end({ ...child, exitCode: 0 });
  end({ ...child, pid: undefined });
  expect(started).toHaveLength(1);
});
