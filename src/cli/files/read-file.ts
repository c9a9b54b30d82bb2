import { constants } from "node:fs";
import { join } from "node:path";
import { readRegular } from "../../base/system/files.ts";
import { isBelow, realPath } from "../../base/system/paths.ts";

/** Windows has no links to leave alone. */
const { O_NOFOLLOW = 0 } = constants;

/** Reads a regular file of a folder; `undefined` if its name is a link that leads out of there. */
export function readInFolder(folder: string, name: string): Buffer | undefined {
  const file = realPath(join(folder, name));
  return isBelow(file, realPath(folder)) ? readRegular(file, O_NOFOLLOW) : undefined;
}
