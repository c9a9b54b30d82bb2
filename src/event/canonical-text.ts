/** A text in canonical form: a string, or the pieces of a long one in order. */
export type CanonicalText = string | readonly string[];

/**
 * Characters up to which parts are put together into one string. V8 allocates a string of more than 128 kB in pages of its
 * own, whose first use costs more than hashing it; so a long text is hashed piece by piece.
 */
export const PIECE = 32 * 1024;

/** Puts a canonical text together from its parts. */
export class CanonicalTextBuilder {
  readonly #piece: number;
  #text: string;
  #pieces: string[] | undefined;

  constructor(start: string, piece: number = PIECE) {
    this.#text = start;
    this.#piece = piece;
  }

  add(part: CanonicalText): void {
    if (typeof part !== "string") {
      for (const one of part) this.add(one);
    } else if (this.#text.length + part.length <= this.#piece) {
      this.#text += part;
    } else {
      this.#pieces ??= [];
      this.#pieces.push(this.#text);
      this.#text = part;
    }
  }

  end(last: string): CanonicalText {
    this.add(last);
    if (this.#pieces === undefined) return this.#text;
    return [...this.#pieces, this.#text];
  }
}

/** The whole text as one string. */
export function wholeText(text: CanonicalText): string {
  return typeof text === "string" ? text : text.join("");
}
