/** A command of this program, as messages suggest it to people who will copy it: `hookporter events retry 6`. */
export function ownCommand(words: string): string {
  return `hookporter ${words}`;
}
