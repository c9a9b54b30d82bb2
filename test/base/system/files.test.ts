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
  const refusals = ["EPERM", "EBUSY"];
  const rename = vi.fn((..._: [string, string]) => {
    const code = refusals.shift();
    if (code !== undefined) throw refusal(code);
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

it("on Windows, a share is a network, and what is local or unknown is none", () => {
  const onWindows = (folder: string) => networkFileSystem("inbox.db", "win32", () => folder);
  expect(onWindows("\\\\server\\share\\app")).toBe("a Windows share");
  expect(onWindows("\\\\wsl.localhost\\Debian\\app")).toBe("a Windows share");
  expect(onWindows("\\\\?\\Volume{1}\\app")).toBeUndefined();
  expect(onWindows("C:\\app")).toBeUndefined();
  expect(networkFileSystem(join(tempFolder(), "inbox.db"))).toBeUndefined();
  expect(networkFileSystem(join(tempFolder(), "none", "inbox.db"))).toBeUndefined();
});

it("a folder that a program synchronises is told by its name, and no other", () => {
  for (const [folder, expected] of [
    ["/home/a/OneDrive - Contoso/Documents", "OneDrive - Contoso"],
    ["/home/a/Dropbox (Contoso)", "Dropbox (Contoso)"],
    ["/Users/a/Library/Mobile Documents/com~apple~CloudDocs/app", "com~apple~CloudDocs"],
    ["/Users/a/Library/CloudStorage/Box-Box", "CloudStorage"],
    ["C:\\Users\\a\\Box\\app", "Box"],
    ["C:\\Users\\a\\iCloudDrive", "iCloudDrive"],
    ["G:\\My Drive\\app", "My Drive"],
    ["/home/a/Sync", "Sync"],
    ["/home/a/Nextcloud/app", "Nextcloud"],
    ["/srv/x/box", undefined],
    ["/srv/x/Box/data", undefined],
    ["/home/a/code/sync", undefined],
    ["/home/a/sync", undefined],
    ["/home/a/code/Sync", undefined],
    ["/var/www/nextcloud/data", undefined],
    ["/home/a/onedrive-client", undefined],
    ["/home/a/dropbox-webhooks", undefined],
    ["/srv/CloudStorage/app", undefined],
    ["/srv/mega", undefined],
  ] as const)
    expect(
      syncedFolder(folder, (path) => path),
      folder,
    ).toBe(expected);
  const folder = join(tempFolder(), "Dropbox", "app");
  mkdirSync(folder, { recursive: true });
  expect(syncedFolder(folder)).toBe("Dropbox");
  expect(syncedFolder(tempFolder())).toBeUndefined();
});
