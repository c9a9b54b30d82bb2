import { escapeInvisible } from "./escape-invisible.ts";

// What is pasted runs. So every word of a command that is printed, and every text in a comment
// beside one, goes through here: shells without comments, as zsh when typed in, read those too.

/** A text as one word for a POSIX shell, quoted if need be. */
export function shellWord(text: string): string {
  return /^[\w./:@,-]+$/.test(text) ? text : quotedWord(text);
}

/**
 * A text as one quoted word. What a terminal would interpret is escaped, and no longer the same:
 * who needs every byte looks for that first.
 *
 * @param kept - characters that stay as they are
 */
export function quotedWord(text: string, kept = ""): string {
  return `'${escapeInvisible(text, kept).replaceAll("'", "'\\''")}'`;
}

/** A path as one word, if it can be in quotes that the shells of all systems know. */
export function pathWord(path: string): string {
  if (/^[\w./\\:@,~-]+$/.test(path)) return path;
  return /["$`!%]/.test(path) ? quotedWord(path) : `"${escapeInvisible(path)}"`;
}
