/**
 * A text as it is safe to show: control characters, invisible direction marks and lone surrogates become escapes, so that
 * a delivery cannot hide or reorder what is read. Line breaks and tabs stay where `lines` is asked for.
 */
export function visible(text: string, { lines = false }: { readonly lines?: boolean } = {}): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    if (lines && (character === "\n" || character === "\t")) return character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
