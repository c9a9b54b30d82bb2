import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { blockFor } from "../block-for.ts";
import { statfsSync } from "../package/builtins.ts";
import { tryOr } from "../try-or.ts";
import { isBelow, realPath } from "./paths.ts";

// What differs between the systems in files:
//
// |                             | Linux     | macOS                           | Windows                        |
// |-----------------------------|-----------|---------------------------------|--------------------------------|
// | others may read a file      | its mode  | its mode                        | access lists, not looked at    |
// | a file that is open         | replaced, removed | replaced, removed       | refused while a program has it |
// | fsync reaches the disk      | yes       | with F_FULLFSYNC: Node's does, SQLite's with `PRAGMA fullfsync` | yes |
// | a file without a name       | O_TMPFILE | a file, then removed            | a file, then removed           |
// | network drives              | statfs(2) | not recognised                  | `\\server\share`               |

/**
 * Pauses in milliseconds between attempts to replace a file that a virus scanner, an indexer or an
 * editor has open.
 */
const PAUSES = [10, 20, 40, 80, 160, 320];

/** Moves a file to a path, where it replaces the one that is there. */
export function moveFile(
  from: string,
  to: string,
  platform = process.platform,
  rename = renameSync,
): void {
  const pauses = platform === "win32" ? [...PAUSES] : [];
  for (;;) {
    try {
      rename(from, to);
      return;
    } catch (thrown) {
      const isOpen = ["EPERM", "EACCES", "EBUSY"].includes(
        (thrown as NodeJS.ErrnoException).code ?? "",
      );
      const pause = isOpen ? pauses.shift() : undefined;
      if (pause === undefined) throw thrown;
      blockFor(pause);
    }
  }
}

/**
 * Puts a file at a path, unless there is one already: then returns `false`. The file may be found
 * under its old name, too.
 */
export function putInPlace(made: string, path: string): boolean {
  try {
    linkSync(made, path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST" || existsSync(path)) return false;
    moveFile(made, path); // a file system without links
  }
  return true;
}

/**
 * The permissions of a file if they include one of these, as `chmod` takes them; `undefined` if
 * not, and on Windows.
 */
export function shownMode(
  { mode }: Pick<Stats, "mode">,
  unwanted: number,
  platform = process.platform,
) {
  if (platform === "win32" || (mode & unwanted) === 0) return undefined;
  return (mode & 0o777).toString(8).padStart(4, "0");
}

/** Linux's flag for a file without a name. Node does not define it. */
const O_TMPFILE = 0o20200000;

/** Opens a new file of a folder that is gone once it is closed. */
export function openNameless(folder: string, platform = process.platform): number {
  if (platform === "linux") return openSync(folder, O_TMPFILE | constants.O_RDWR, 0o600);
  const path = join(folder, `hookporter-${randomBytes(6).toString("hex")}.tmp`);
  const file = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return file;
}

/** Linux's numbers of network file systems (statfs(2)). */
const NETWORK: Readonly<Record<number, string>> = {
  26985: "nfs",
  20859: "smb",
  4283649346: "cifs",
  4266872130: "smb2",
  1397113167: "afs",
  1937076805: "coda",
  12805120: "ceph",
  16914839: "9p",
  198183888: "lustre",
};

/**
 * The name of the network file system that a file is on; `undefined` if it is local or that is
 * unknown.
 */
export function networkFileSystem(file: string, platform = process.platform, real = realPath) {
  return tryOr(() => {
    const folder = real(dirname(file));
    if (platform === "win32") return /^\\\\[^?.]/.test(folder) ? "a Windows share" : undefined;
    return platform === "linux" ? NETWORK[statfsSync(folder).type >>> 0] : undefined;
  }, undefined);
}

/**
 * Folders whose content a program copies to other machines, while the inbox changes, by the names
 * that these programs give them.
 */
const SYNCED =
  /^(?:Dropbox(?: \(.+\))?|OneDrive(?: - .+)?|Google Drive|com~apple~CloudDocs|iCloud ?Drive|pCloud ?Drive)$/;

/** The same for names that other folders may have, too: only where these programs make them. */
const SYNCED_PLACES = [
  /\/Library\/(CloudStorage)\//,
  /^(?:\/home|\/Users|[A-Z]:\/Users)\/[^/]+\/(Box|Box Sync|Sync|Syncthing|MEGA|MEGAsync|Nextcloud|ownCloud)\//,
  /^[A-Z]:\/(My Drive)\//,
];

/**
 * The synchronised folder that a folder is in; `undefined` if none is known by its name and place.
 */
export function syncedFolder(folder: string, real = realPath): string | undefined {
  const path = `${real(folder).replaceAll("\\", "/")}/`;
  const named = path.split("/").find((part) => SYNCED.test(part));
  return (
    named ?? SYNCED_PLACES.map((place) => place.exec(path)?.[1]).find((name) => name !== undefined)
  );
}

/** A larger input is not a body, nor a file with some. */
export const MAX_INPUT = 64 * 1024 * 1024;

/** What an input is that is larger. */
export const TOO_LARGE = "it has more than 64 MiB";

const CHUNK = 64 * 1024;

/** Windows has no such flag, nor pipes in folders. */
const { O_NONBLOCK = 0, O_RDONLY } = constants;

/**
 * Reads a regular file, which is known to be one only once it is open: a pipe that is opened waits
 * for its writer, unless told not to.
 */
export function readRegular(path: string, flags = 0): Buffer {
  const file = openSync(path, O_RDONLY | O_NONBLOCK | flags);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw notAFile(found);
    if (found.size > MAX_INPUT) throw new Error(TOO_LARGE);
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = Buffer.allocUnsafe(Math.max(CHUNK, found.size - length + 1));
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks);
      length += read;
      if (length > MAX_INPUT) throw new Error(TOO_LARGE); // it grows, or has no size, as in /proc
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

/** The text of a regular file. */
export function readText(path: string): string {
  return readRegular(path).toString("utf8");
}

/** The error for something else than a file. */
export function notAFile(found: Stats): Error {
  if (found.isDirectory()) return Object.assign(new Error("it is a folder"), { code: "EISDIR" });
  const kind = found.isFIFO() ? "pipe" : found.isSocket() ? "socket" : "device";
  return new Error(`it is a ${kind}, not a file`);
}

/** Whether a path leads below the folder: links of what exists are followed. */
export function leadsBelow(path: string, folder: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    return tryOr(() => isBelow(realPath(path), realPath(folder)), false);
  const above = dirname(path);
  return above === folder || (above !== path && leadsBelow(above, folder));
}
