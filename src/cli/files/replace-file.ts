import { randomBytes } from "node:crypto";
import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";
import { moveFile } from "../../base/system/files.ts";

/**
 * Replaces a file. It is never half-written, and a symbolic link is replaced, not followed. Unless `mode` says otherwise,
 * only its owner can read it at any time.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  withDraft(path, content, (draft) => moveFile(draft, path), mode);
}

/**
 * Creates a file that does not exist yet. It is never half-written, and only its owner can read it. Returns `false` if
 * another process was first; its file stays.
 */
export function makeFile(path: string, content: string | Uint8Array): boolean {
  try {
    withDraft(path, content, (draft) => linkSync(draft, path));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    // The file system may not support links.
    if (existsSync(path)) return false;
    replaceFile(path, content);
    return true;
  }
}

/** Throws if a file next to this path, and so its replacement, cannot be written; changes nothing at the path. */
export function checkReplaceable(path: string): void {
  withDraft(path, "", () => {});
}

function withDraft(path: string, content: string | Uint8Array, use: (draft: string) => void, mode = 0o600) {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, content, { mode, flag: "wx" });
    use(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}
