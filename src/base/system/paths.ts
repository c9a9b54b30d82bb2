import { realpathSync } from "node:fs";
import { isAbsolute, posix, relative, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { tryOr } from "../try-or.ts";

// What differs between the systems in paths:
//
// |                          | Linux             | macOS                         | Windows                      |
// |--------------------------|-------------------|-------------------------------|------------------------------|
// | `Inbox.db`, `inbox.db`   | two files         | one file, usually             | one file                     |
// | `é` in one or two codes  | two files         | one file                      | two files                    |
// | folder of temporary files| `/tmp`            | a link: `/tmp` → `/private/tmp`| `C:\Users\…\Temp`            |
// | a module's address       | `file:///app/x.js`| `file:///app/x.js`            | `file:///C:/app/x.js`        |
// | variable of the programs | `PATH`            | `PATH`                        | `Path`, in any case          |
// | settings of programs     | `~/.config`       | `~/Library/Application Support`| `%LOCALAPPDATA%`             |

/** Variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The one path of a file: links resolved, and letters and accents as they are on disk, whatever
 * they were given as.
 */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return realpathSync(path); // some virtual drives of Windows lack the system's call
  }
}

/** Whether a file is in a folder or deeper, by the two paths alone: no link is followed. */
export function isBelow(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return path !== "" && !isAbsolute(path) && path.split(/[/\\]/)[0] !== "..";
}

/** The folders that programs are looked up in. */
export function programFolders(env: Environment, platform = process.platform): readonly string[] {
  if (platform !== "win32") return (env.PATH ?? "").split(posix.delimiter);
  const [, path = ""] = Object.entries(env).find(([name]) => name.toUpperCase() === "PATH") ?? [];
  return path
    .split(win32.delimiter)
    .map((folder) => folder.replaceAll('"', ""))
    .filter((folder) => folder !== "");
}

/** The folder for settings of the user's programs; `undefined` if no variable names it. */
export function settingsFolder(env: Environment, platform = process.platform): string | undefined {
  if (platform === "win32") return env.LOCALAPPDATA;
  if (!env.HOME) return undefined;
  if (platform === "darwin") return posix.join(env.HOME, "Library", "Application Support");
  return env.XDG_CONFIG_HOME || posix.join(env.HOME, ".config");
}

/**
 * A frame of a stack: what is before its place, the place, its line, its column, and what follows.
 */
export const FRAME =
  /^(\s+at (?:.*\()?(?:async )?)((?:[^()]|\([^()]*\)(?!,))+?):(\d+)(?::(\d+))?(\)?)$/;

/** The path of a frame's place; `undefined` for one of Node's own. */
export function placePath(place: string): string | undefined {
  if (place.startsWith("file://")) return tryOr(() => fileURLToPath(place), undefined);
  return /^(?:\/|[A-Za-z]:[\\/])/.test(place) ? place : undefined;
}
