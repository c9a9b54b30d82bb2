import { randomBytes } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Puts a file in the place of what is there. It is never half written, only its owner can read it at any time, and a
 * symbolic link is replaced, not followed.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  withDraft(path, content, (draft) => renameSync(draft, path));
}

/**
 * Makes a file that does not exist, whole and for its owner alone. Returns `false` if another process was first; its file
 * stays.
 */
export function makeFile(path: string, content: string | Uint8Array): boolean {
  try {
    withDraft(path, content, (draft) => linkSync(draft, path));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    // A file system without links.
    if (existsSync(path)) return false;
    replaceFile(path, content);
    return true;
  }
}

/** Throws if a file beside this path, and so the one that replaces it, cannot be written; leaves what is there. */
export function checkReplaceable(path: string): void {
  withDraft(path, "", () => {});
}

function withDraft(path: string, content: string | Uint8Array, use: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: "wx" });
    use(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}
