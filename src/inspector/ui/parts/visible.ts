/**
 * Makes a text safe to display: control characters, invisible direction marks and lone surrogates become escapes, so that a
 * delivery cannot hide or reorder text. With `lines`, line breaks and tabs are kept.
 */
export function visible(text: string, { lines = false }: { readonly lines?: boolean } = {}): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    if (lines && (character === "\n" || character === "\t")) return character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
