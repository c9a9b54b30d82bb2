/**
 * What belongs to one word of a command; text outside all of these is a quote that is not closed.
 */
export const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;

/**
 * The words of a command, separated by white space; quotes hold white space. There is no shell:
 * nothing else is special.
 */
export function commandWords(command: string): readonly string[] {
  return (command.match(WORD) ?? []).map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
