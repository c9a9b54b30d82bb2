/**
 * Texts that were edited but not sent. They are kept only for this tab, as the token is, and end with it: they may contain
 * personal data.
 */
const PREFIX = "hookporter-draft:";

/** The draft with a name, such as a body's SHA-256; `undefined` if there is none. */
export function readDraft(name: string): string | undefined {
  return sessionStorage.getItem(PREFIX + name) ?? undefined;
}

/** Keeps a draft. Returns false if the browser has no room for it; then an older version does not stay either. */
export function keepDraft(name: string, text: string): boolean {
  try {
    sessionStorage.setItem(PREFIX + name, text);
    return true;
  } catch {
    dropDraft(name);
    return false;
  }
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}
