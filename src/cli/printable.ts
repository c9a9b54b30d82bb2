/**
 * A text that is safe to print: control characters, the terminal's escape sequences and invisible direction marks are
 * shown as escapes, so that a delivery cannot draw on the terminal or hide in a line.
 */
export function printable(text: string, maxLength = 200): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
