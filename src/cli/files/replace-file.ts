import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { moveFile, putInPlace } from "../../base/system/files.ts";

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
  return withDraft(path, content, (draft) => putInPlace(draft, path));
}

/** Throws if a file next to this path, and so its replacement, cannot be written; changes nothing at the path. */
export function checkReplaceable(path: string): void {
  withDraft(path, "", () => {});
}

function withDraft<Result>(
  path: string,
  content: string | Uint8Array,
  use: (draft: string) => Result,
  mode = 0o600,
) {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, content, { mode, flag: "wx" });
    return use(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}
