/**
 * The lines of a text, with long ones broken at a number of columns. They are offsets, so that a
 * large text is not copied.
 */
export function textLines(text: string, columns: number) {
  const starts: number[] = [];
  for (let start = 0, newline = 0; newline !== -1; start = newline + 1) {
    newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    starts.push(start);
    for (let next = start + columns; next < end; next += columns) {
      const code = text.charCodeAt(next);
      if (code >= 0xdc00 && code <= 0xdfff) next++; // no character is split
      if (next < end) starts.push(next);
    }
  }
  const at = (index: number) => text.slice(starts[index], starts[index + 1]).replace(/\n$/, "");
  return { count: starts.length, at };
}
