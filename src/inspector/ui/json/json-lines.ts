/** What a line is: a whole value, or one end of an object or array. */
export type LineKind = "value" | "open" | "close";

const OPEN = 1;
const CLOSE = 2;
const COMMA = 4;

/** The deepest indentation in levels; without a limit, a text of brackets alone would be indented to gigabytes. */
const MAX_INDENT = 200;

/**
 * The lines of an indented JSON text, as offsets in the text that was received. The text is never printed anew, so numbers,
 * escapes, duplicate keys and order stay as they are. A million lines take a few dozen megabytes.
 */
export class JsonLines {
  readonly text: string;
  #count = 0;
  #starts: Uint32Array<ArrayBuffer>;
  #values: Uint32Array<ArrayBuffer>;
  #ends: Uint32Array<ArrayBuffer>;
  #depths: Uint32Array<ArrayBuffer>;
  #positions: Uint32Array<ArrayBuffer>;
  /** The number of children of an open line. */
  #sizes: Uint32Array<ArrayBuffer>;
  /** The other end of an object or array, and the line that opens the container. One more than the line; 0 is none. */
  #mates: Uint32Array<ArrayBuffer>;
  #parents: Uint32Array<ArrayBuffer>;
  #flags: Uint8Array<ArrayBuffer>;

  constructor(text: string) {
    this.text = text;
    const capacity = 64;
    const numbers = () => new Uint32Array(capacity);
    this.#starts = numbers();
    this.#values = numbers();
    this.#ends = numbers();
    this.#depths = numbers();
    this.#positions = numbers();
    this.#sizes = numbers();
    this.#mates = numbers();
    this.#parents = numbers();
    this.#flags = new Uint8Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  kind(line: number): LineKind {
    const flags = at(this.#flags, line);
    if ((flags & OPEN) !== 0) return "open";
    return (flags & CLOSE) !== 0 ? "close" : "value";
  }

  depth(line: number): number {
    return at(this.#depths, line);
  }

  /** The line that opens the container of a line; -1 for the outermost value. */
  parent(line: number): number {
    return at(this.#parents, line) - 1;
  }

  /** The line at the other end of an object or array; -1 for other values. */
  mate(line: number): number {
    return at(this.#mates, line) - 1;
  }

  /** The position of a value in its container, from 0. */
  position(line: number): number {
    return at(this.#positions, line);
  }

  /** The number of members of the object or array that a line opens. */
  size(line: number): number {
    return at(this.#sizes, line);
  }

  /** Whether a comma follows the value that ends in this line. */
  hasComma(line: number): boolean {
    return (at(this.#flags, line) & COMMA) !== 0;
  }

  /** A member's key as it was sent, with quotation marks and escapes; `undefined` outside of objects. */
  key(line: number): string | undefined {
    const start = at(this.#starts, line);
    const value = at(this.#values, line);
    if (start === value) return undefined;
    return this.text.slice(start, this.text.lastIndexOf('"', value - 1) + 1);
  }

  /** The part of a line after its key, as it was sent. */
  own(line: number): string {
    return this.text.slice(at(this.#values, line), at(this.#ends, line));
  }

  /** The whole value of a line as it was sent, over all of its lines. */
  value(line: number): string {
    const kind = this.kind(line);
    const first = kind === "close" ? this.mate(line) : line;
    const last = kind === "open" ? this.mate(line) : line;
    return this.text.slice(at(this.#values, first), at(this.#ends, last));
  }

  /** The path of a line's value, such as `data.items[3].id`; `$` for the outermost value. */
  path(line: number): string {
    const steps: string[] = [];
    let here = this.kind(line) === "close" ? this.mate(line) : line;
    for (let parent = this.parent(here); parent >= 0; here = parent, parent = this.parent(here)) {
      steps.push(stepOf(this.key(here), this.position(here)));
    }
    return steps.length === 0 ? "$" : steps.toReversed().join("").replace(/^\./, "");
  }

  /** The line that contains an offset of the text, or the last one before it. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (at(this.#starts, middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  lineText(line: number): string {
    const key = this.key(line);
    const own = this.own(line);
    const value = /^[[{]\s/.test(own) ? own.replaceAll(/\s/g, "") : own; // an empty object or array
    const indent = "  ".repeat(Math.min(this.depth(line), MAX_INDENT));
    return `${indent}${key === undefined ? "" : `${key}: `}${value}${this.hasComma(line) ? "," : ""}`;
  }

  *texts(): Generator<string> {
    for (let line = 0; line < this.#count; line++) yield this.lineText(line);
  }

  /** Adds a line; for the reader. A container is opened here, and later closed or found to be empty. */
  add(kind: LineKind, place: { start: number; value: number; end: number; parent: number }): number {
    if (this.#count === this.#flags.length) this.#grow();
    const line = this.#count++;
    const parent = place.parent;
    this.#starts[line] = place.start;
    this.#values[line] = place.value;
    this.#ends[line] = place.end;
    this.#parents[line] = parent + 1;
    this.#depths[line] = parent < 0 ? 0 : this.depth(parent) + 1;
    this.#flags[line] = kind === "open" ? OPEN : kind === "close" ? CLOSE : 0;
    if (kind !== "close" && parent >= 0) {
      const position = at(this.#sizes, parent);
      this.#positions[line] = position;
      this.#sizes[parent] = position + 1;
    }
    return line;
  }

  /** Closes a container whose last mark is before `end`; for the reader. */
  close(open: number, end: number): void {
    if (this.size(open) === 0) {
      this.#flags[open] = 0;
      this.#ends[open] = end;
      return;
    }
    const line = this.add("close", { start: end - 1, value: end - 1, end, parent: this.parent(open) });
    this.#positions[line] = this.position(open);
    this.#mates[open] = line + 1;
    this.#mates[line] = open + 1;
  }

  /** Notes a comma after the newest line; for the reader. */
  addComma(): void {
    this.#flags[this.#count - 1] = at(this.#flags, this.#count - 1) | COMMA;
  }

  #grow(): void {
    const capacity = this.#flags.length * 2;
    const grown = (numbers: Uint32Array<ArrayBuffer>) => {
      const larger = new Uint32Array(capacity);
      larger.set(numbers);
      return larger;
    };
    this.#starts = grown(this.#starts);
    this.#values = grown(this.#values);
    this.#ends = grown(this.#ends);
    this.#depths = grown(this.#depths);
    this.#positions = grown(this.#positions);
    this.#sizes = grown(this.#sizes);
    this.#mates = grown(this.#mates);
    this.#parents = grown(this.#parents);
    const flags = new Uint8Array(capacity);
    flags.set(this.#flags);
    this.#flags = flags;
  }
}

function at(numbers: Uint32Array | Uint8Array, index: number): number {
  return numbers[index] ?? 0;
}

function stepOf(key: string | undefined, position: number): string {
  if (key === undefined) return `[${position}]`;
  const name: unknown = JSON.parse(key);
  return typeof name === "string" && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${key}]`;
}
