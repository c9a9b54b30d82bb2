/** What a line is: a whole value, or one end of an object or array. */
export type LineKind = "value" | "open" | "close";

const OPEN = 1;
const CLOSE = 2;
const COMMA = 4;

/**
 * The numbers of a line. The mate is the other end of an object or array, and the parent is the
 * line that opens the container; both are one more than the line, since 0 is none.
 */
const FIELDS = [
  "start",
  "value",
  "end",
  "depth",
  "position",
  "size",
  "mate",
  "parent",
  "flags",
] as const;
type Field = (typeof FIELDS)[number];
const WIDTH = FIELDS.length;
const OFFSETS = Object.fromEntries(FIELDS.map((name, offset) => [name, offset])) as Record<
  Field,
  number
>;
/**
 * The deepest indentation in levels; without a limit, a text of brackets alone would be indented to
 * gigabytes.
 */
const MAX_INDENT = 200;

/**
 * The lines of an indented JSON text, as offsets in the text that was received. The text is never
 * serialised again, so numbers, escapes, duplicate keys and order stay as they are. A million lines
 * take a few dozen megabytes.
 */
export class JsonLines {
  readonly text: string;
  #count = 0;
  #numbers = new Uint32Array(64 * WIDTH);

  constructor(text: string) {
    this.text = text;
  }

  get count(): number {
    return this.#count;
  }

  kind(line: number): LineKind {
    const flags = this.#get(line, "flags");
    if ((flags & OPEN) !== 0) return "open";
    return (flags & CLOSE) !== 0 ? "close" : "value";
  }

  depth(line: number): number {
    return this.#get(line, "depth");
  }

  /** The line that opens the container of a line; -1 for the outermost value. */
  parent(line: number): number {
    return this.#get(line, "parent") - 1;
  }

  /** The line at the other end of an object or array; -1 for other values. */
  mate(line: number): number {
    return this.#get(line, "mate") - 1;
  }

  /** The position of a value in its container, from 0. */
  position(line: number): number {
    return this.#get(line, "position");
  }

  size(line: number): number {
    return this.#get(line, "size");
  }

  hasComma(line: number): boolean {
    return (this.#get(line, "flags") & COMMA) !== 0;
  }

  /**
   * A member's key as it was sent, with quotation marks and escapes; `undefined` outside of
   * objects.
   */
  key(line: number): string | undefined {
    const start = this.#get(line, "start");
    const value = this.#get(line, "value");
    if (start === value) return undefined;
    return this.text.slice(start, this.text.lastIndexOf('"', value - 1) + 1);
  }

  /** The part of a line after its key, as it was sent. */
  own(line: number): string {
    return this.text.slice(this.#get(line, "value"), this.#get(line, "end"));
  }

  /** The whole value of a line as it was sent, over all of its lines. */
  value(line: number): string {
    const kind = this.kind(line);
    const first = kind === "close" ? this.mate(line) : line;
    const last = kind === "open" ? this.mate(line) : line;
    return this.text.slice(this.#get(first, "value"), this.#get(last, "end"));
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
    return lastUpTo(offset, this.count, (line) => this.#get(line, "start"));
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

  /**
   * Adds a line; for the reader. A container is opened here, and later closed or found to be empty.
   */
  add(
    kind: LineKind,
    place: { start: number; value: number; end: number; parent: number },
  ): number {
    if ((this.#count + 1) * WIDTH > this.#numbers.length) this.#grow();
    const line = this.#count++;
    const { start, value, end, parent } = place;
    const depth = parent < 0 ? 0 : this.depth(parent) + 1;
    const flags = kind === "open" ? OPEN : kind === "close" ? CLOSE : 0;
    this.#numbers.set([start, value, end, depth, 0, 0, 0, parent + 1, flags], line * WIDTH);
    if (kind !== "close" && parent >= 0) {
      const position = this.#get(parent, "size");
      this.#set(line, "position", position);
      this.#set(parent, "size", position + 1);
    }
    return line;
  }

  /** Closes a container whose last mark is before `end`; for the reader. */
  close(open: number, end: number): void {
    if (this.size(open) === 0) {
      this.#set(open, "flags", 0);
      this.#set(open, "end", end);
      return;
    }
    const line = this.add("close", {
      start: end - 1,
      value: end - 1,
      end,
      parent: this.parent(open),
    });
    this.#set(line, "position", this.position(open));
    this.#set(open, "mate", line + 1);
    this.#set(line, "mate", open + 1);
  }

  /** Notes a comma after the newest line; for the reader. */
  addComma(): void {
    this.#set(this.#count - 1, "flags", this.#get(this.#count - 1, "flags") | COMMA);
  }

  #get(line: number, field: Field): number {
    return this.#numbers[line * WIDTH + OFFSETS[field]] ?? 0;
  }

  #set(line: number, field: Field, number: number): void {
    this.#numbers[line * WIDTH + OFFSETS[field]] = number;
  }

  #grow(): void {
    const grown = new Uint32Array(this.#numbers.length * 2);
    grown.set(this.#numbers);
    this.#numbers = grown;
  }
}

/** The place of the last of some ascending numbers that is not greater than one; 0 if all are. */
export function lastUpTo(most: number, count: number, numberAt: (place: number) => number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numberAt(middle) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

function stepOf(key: string | undefined, position: number): string {
  if (key === undefined) return `[${position}]`;
  const name: unknown = JSON.parse(key);
  return typeof name === "string" && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)
    ? `.${name}`
    : `[${key}]`;
}
