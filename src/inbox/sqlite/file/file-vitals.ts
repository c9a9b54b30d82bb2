import { statSync } from "node:fs";
import { dirname } from "node:path";
import { statfsSync } from "../../../base/package/builtins.ts";
import { realPath } from "../../../base/system/paths.ts";
import type { InboxSize } from "../../vitals.ts";
import { inboxError } from "../errors.ts";

export function sizes(path: string): { readonly bytes: number; readonly logBytes: number } {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return { bytes: sizeOf(path), logBytes: sizeOf(`${path}-wal`) };
}

/**
 * How large an inbox file is. Nothing opens the file: closing it again would end SQLite's locks.
 */
export async function sizeOfFile(given: string): Promise<InboxSize> {
  try {
    const path = realPath(given);
    const { bytes, logBytes } = sizes(path);
    const { bavail, bsize } = statfsSync(dirname(path));
    return { bytes: bytes + logBytes, logBytes, freeBytes: bavail * bsize };
  } catch (thrown) {
    throw inboxError(given, thrown);
  }
}
