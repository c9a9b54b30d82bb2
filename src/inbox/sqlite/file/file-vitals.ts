import { statSync } from "node:fs";
import { dirname } from "node:path";
import { realPath } from "../../../base/system/paths.ts";
import { statfsSync } from "../../../package/builtins.ts";
import { CommitListeners, type InboxSize, type InboxVitals } from "../../vitals.ts";
import { inboxError } from "../errors.ts";

export function sizes(path: string): { readonly bytes: number; readonly logBytes: number } {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return { bytes: sizeOf(path), logBytes: sizeOf(`${path}-wal`) };
}

/** The figures of an inbox file. Nothing opens the file: closing it again would end SQLite's locks. */
export class FileVitals extends CommitListeners implements InboxVitals {
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  async size(): Promise<InboxSize> {
    try {
      const path = realPath(this.#path);
      const { bytes, logBytes } = sizes(path);
      const { bavail, bsize } = statfsSync(dirname(path));
      return { bytes: bytes + logBytes, logBytes, freeBytes: bavail * bsize };
    } catch (thrown) {
      throw inboxError(this.#path, thrown);
    }
  }
}
