/** Longer texts of a handler are cut, in bytes: it may throw, or note, a whole page. */
const MAX_BYTES = 2048;

/** A text of at most 2 KiB of UTF-8: its beginning, and an ellipsis where something was cut. */
export function cutText(text: string): string {
  if (text.length <= MAX_BYTES && Buffer.byteLength(text) <= MAX_BYTES) return text;
  // Cutting bytes can halve a character; decoding turns the half into U+FFFD, which is dropped.
  const head = Buffer.from(text.slice(0, MAX_BYTES))
    .subarray(0, MAX_BYTES - 4)
    .toString("utf8");
  return `${head.replace(/\uFFFD$/, "")}…`;
}
