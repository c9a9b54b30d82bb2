/** No control characters, and no half of a surrogate pair. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

/** Marks an encoded text; a text that itself starts with the mark is encoded too. */
const MARK = "\u0001";

/**
 * Encodes a text so that a store keeps it exactly. Some cut a text at NUL, PostgreSQL refuses it, and all turn half a surrogate pair
 * into U+FFFD, which would make two keys equal.
 */
export function encodeText(text: string): string {
  if (PLAIN.test(text)) return text; // nearly always, and faster than the exact test below
  const safe = !text.includes("\0") && !text.startsWith(MARK) && text.isWellFormed();
  return safe ? text : MARK + JSON.stringify(text);
}

/** The same for a text that there may be none of. */
export function encodeNullable(text: string | null): string | null {
  return text === null ? null : encodeText(text);
}

export function decodeText(stored: string): string {
  return stored.startsWith(MARK) ? JSON.parse(stored.slice(1)) : stored;
}
