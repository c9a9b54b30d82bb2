/**
 * Joiners and variation selectors that belong to a visible character: a joiner inside an emoji, or
 * between letters as in Persian; and after them, as a group, everything that a reader does not see,
 * and accents that pile up beyond any script's.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`[\ufe0e\ufe0f]`,
    String.raw`(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})`,
    String.raw`(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(\p{M}(?<=\p{M}{9})|[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029])`,
  ].join("|"),
  "gu",
);

/**
 * Escapes what would draw on a terminal, reorder a text or hide in it: control characters,
 * direction marks, lone surrogates, and invisible characters such as tags, which a language model
 * reads and a person does not. The escapes are JSON's own, so a JSON text keeps its meaning.
 *
 * @param kept - characters that stay as they are
 */
export function escapeInvisible(text: string, kept = ""): string {
  return text.replace(INVISIBLE, (whole, hidden: string | undefined) => {
    return hidden === undefined || kept.includes(hidden) ? whole : escaped(hidden);
  });
}

/** One escape, or two for a character beyond U+FFFF. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
