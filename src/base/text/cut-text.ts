/**
 * Texts come in. Texts that fit a line go out, without secrets or what a terminal obeys. Nothing
 * is looked up.
 */

/** Truncates a text to a number of UTF-8 bytes; a truncated text ends with an ellipsis. */
export function cutText(text: string, bytes: number): string {
  if (text.length <= bytes && Buffer.byteLength(text) <= bytes) return text;
  // Cutting bytes can split a character; decoding turns the first part into U+FFFD, which is
  // removed.
  const head = Buffer.from(text.slice(0, bytes))
    .subarray(0, bytes - 4)
    .toString("utf8");
  return `${head.replace(/\uFFFD$/, "")}…`;
}
