/** A text that is safe to print, and not longer than asked for: see {@link escapeUnprintable}. */
export function printable(text: string, maxLength = 200): string {
  return escapeUnprintable(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}

/**
 * Shows control characters, the terminal's escape sequences and invisible direction marks as escapes, so that a delivery
 * cannot draw on the terminal or hide in a line. They are JSON's own escapes: a JSON text still means the same.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
