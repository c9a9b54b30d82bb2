/**
 * Removes given characters from the end of a text. An expression for the end, such as `/=+$/`,
 * looks through each run of them again from each of its characters, which takes minutes for some
 * 100 kB.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
