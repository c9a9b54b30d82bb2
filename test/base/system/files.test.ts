import { closeSync, mkdirSync, readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import {
  moveFile,
  networkFileSystem,
  openNameless,
  shownMode,
  syncedFolder,
} from "../../../src/base/system/files.ts";
import { tempFolder } from "../../cli/fake-io.ts";

const refusal = (code: string) => Object.assign(new Error(code), { code });

it("on Windows, a file that another program has open for a moment is replaced after it", () => {
  const folder = tempFolder();
  const from = join(folder, "draft");
  const to = join(folder, "file");
  writeFileSync(from, "new");
  writeFileSync(to, "old");
  const rename = vi.fn((..._: [string, string]) => {});
  rename.mockImplementationOnce(() => {
    throw refusal("EPERM");
  });
  rename.mockImplementationOnce(() => {
    throw refusal("EBUSY");
  });
  moveFile(from, to, "win32", rename as never);
  expect(rename.mock.calls).toEqual(Array(3).fill([from, to]));
  moveFile(from, to);
  expect(readFileSync(to, "utf8")).toBe("new");
  expect(readdirSync(folder)).toEqual(["file"]);
});

it.each([
  ["linux", "EPERM", 1],
  ["darwin", "EACCES", 1],
  ["win32", "ENOENT", 1],
  ["win32", "EACCES", 7],
] as const)("on %s, a move that fails with %s is tried %i times", (platform, code, times) => {
  const rename = vi.fn(() => {
    throw refusal(code);
  });
  expect(() => moveFile("a", "b", platform, rename)).toThrow(code);
  expect(rename).toHaveBeenCalledTimes(times);
});

it("permissions are shown only where a system has them", () => {
  expect(shownMode({ mode: 0o100644 }, 0o077, "linux")).toBe("0644");
  expect(shownMode({ mode: 0o100600 }, 0o077, "darwin")).toBeUndefined();
  // Node reports this for every file
  expect(shownMode({ mode: 0o100666 }, 0o077, "win32")).toBeUndefined();
});

it.each(["linux", "darwin"] as const)(
  "a file without a name leaves nothing behind, as on %s",
  (platform) => {
    const folder = tempFolder();
    const file = openNameless(folder, process.platform === "linux" ? platform : undefined);
    expect(writeSync(file, "x")).toBe(1);
    closeSync(file);
    expect(readdirSync(folder)).toEqual([]);
  },
);

it.each([
  ["\\\\server\\share\\app", "a Windows share"],
  ["\\\\wsl.localhost\\Debian\\app", "a Windows share"],
  ["\\\\?\\Volume{1}\\app", undefined],
  ["C:\\app", undefined],
])("on Windows, %s is on %s", (folder, expected) => {
  expect(networkFileSystem("inbox.db", "win32", () => folder)).toBe(expected);
});

it("a local folder is on no network, and what is unknown counts as local", () => {
  expect(networkFileSystem(join(tempFolder(), "inbox.db"))).toBeUndefined();
  expect(networkFileSystem(join(tempFolder(), "none", "inbox.db"))).toBeUndefined();
});

it("a folder in Dropbox is synchronised", () => {
  const folder = join(tempFolder(), "Dropbox", "app");
  mkdirSync(folder, { recursive: true });
  expect(syncedFolder(folder)).toBe("Dropbox");
  expect(syncedFolder(tempFolder())).toBeUndefined();
});

it.each([
  ["/home/a/OneDrive - Contoso/Documents", "OneDrive - Contoso"],
  ["/home/a/Dropbox (Contoso)", "Dropbox (Contoso)"],
  ["/Users/a/Library/Mobile Documents/com~apple~CloudDocs/app", "com~apple~CloudDocs"],
  ["/Users/a/Library/CloudStorage/Box-Box", "CloudStorage"],
  ["C:\\Users\\a\\Box\\app", "Box"],
  ["C:\\Users\\a\\iCloudDrive", "iCloudDrive"],
  ["G:\\My Drive\\app", "My Drive"],
  ["/home/a/Sync", "Sync"],
  ["/home/a/Nextcloud/app", "Nextcloud"],
])("%s is synchronised", (folder, expected) => {
  expect(syncedFolder(folder, (path) => path)).toBe(expected);
});

it.each([
  "/srv/x/box",
  "/srv/x/Box/data",
  "/home/a/code/sync",
  "/home/a/sync",
  "/home/a/code/Sync",
  "/var/www/nextcloud/data",
  "/home/a/onedrive-client",
  "/home/a/dropbox-webhooks",
  "/srv/CloudStorage/app",
  "/srv/mega",
])("%s is not taken for a synchronised folder", (folder) => {
  expect(syncedFolder(folder, (path) => path)).toBeUndefined();
});
