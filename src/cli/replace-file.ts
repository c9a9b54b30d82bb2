import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Replaces a file. It is never half-written, only its owner can read it at any time, and a symbolic link is replaced, not
 * followed.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
