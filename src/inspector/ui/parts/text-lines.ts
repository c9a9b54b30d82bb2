/** The lines of a text, with long ones broken at a number of columns. They are offsets, so that a large text is not copied. */
export class TextLines {
  readonly #text: string;
  readonly #starts: number[] = [];

  constructor(text: string, columns: number) {
    this.#text = text;
    let start = 0;
    for (;;) {
      const newline = text.indexOf("\n", start);
      const end = newline === -1 ? text.length : newline;
      this.#starts.push(start);
      for (let next = start + columns; next < end; next += columns) {
        const code = text.charCodeAt(next);
        if (code >= 0xdc00 && code <= 0xdfff) next++; // no character is split
        if (next < end) this.#starts.push(next);
      }
      if (newline === -1) return;
      start = newline + 1;
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  at(index: number): string {
    const line = this.#text.slice(this.#starts[index], this.#starts[index + 1]);
    return line.endsWith("\n") ? line.slice(0, -1) : line;
  }
}
