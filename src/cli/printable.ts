/** Makes a text safe to print and limits its length: see {@link escapeUnprintable}. */
export function printable(text: string, maxLength = 200): string {
  return escapeUnprintable(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}

/**
 * Escapes control characters, terminal sequences and invisible direction marks, so that a delivery cannot draw on the
 * terminal or hide text. The escapes are JSON's own, so a JSON text keeps its meaning.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
