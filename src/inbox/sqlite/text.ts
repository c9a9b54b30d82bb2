/** No control characters, and no half of a surrogate pair. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

/** Marks a text that was encoded; one that starts with it by itself is encoded too. */
const MARK = "\u0001";

/**
 * A text in a form that SQLite's clients keep letter for letter: some cut it at NUL, and all turn half a surrogate pair
 * into U+FFFD, which would make one key of two.
 */
export function encodeText(text: string): string {
  if (PLAIN.test(text)) return text; // nearly always, and quicker than what follows
  const safe = !text.includes("\0") && !text.startsWith(MARK) && text.isWellFormed();
  return safe ? text : MARK + JSON.stringify(text);
}

/** The text that was encoded. */
export function decodeText(stored: string): string {
  return stored.startsWith(MARK) ? JSON.parse(stored.slice(1)) : stored;
}
