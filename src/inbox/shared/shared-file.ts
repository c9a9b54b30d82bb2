import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { realPath } from "../../base/system/paths.ts";
import type { Inbox } from "../inbox.ts";
import { sqliteInbox } from "../sqlite.ts";
import { sharedInbox } from "./shared-inbox.ts";

/**
 * The inbox in a file, shared by the receivers of this process, whatever name each of them has for
 * the file.
 */
export function sharedFile(path: string): Inbox {
  return sharedInbox({
    make: () => sqliteInbox(path),
    names: () => {
      const file = statSync(path, { throwIfNoEntry: false });
      const open = file === undefined ? [] : [`file ${file.dev}:${file.ino}`];
      // Another one may be about to make it. Once it is open, a file that replaces it is another
      // inbox.
      const folder = existsSync(dirname(path)) ? realPath(dirname(path)) : dirname(path);
      return { opening: [...open, `path ${join(folder, basename(path))}`], open };
    },
  });
}
