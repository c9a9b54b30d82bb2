import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Puts a file in the place of what is there. It is never half written, only its owner can read it at any time, and a
 * symbolic link is replaced, not followed.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  withDraft(path, content, (draft) => renameSync(draft, path));
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
