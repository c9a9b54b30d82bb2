/** Cuts a text after `most` characters, and marks the cut with an ellipsis. */
export function shortText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The first line of a text, as {@link shortText}. */
export function firstLine(text: string, most: number): string {
  return shortText(text.split("\n", 1)[0] ?? "", most);
}
