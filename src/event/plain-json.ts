import { Buffer, isAscii, isUtf8 } from "node:buffer";
import {
  afterNumber,
  afterSpace,
  afterString,
  afterText,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  GIVEN_UP,
  isOdd,
  OPEN_LIST,
  OPEN_OBJECT,
} from "./plain-lexemes.ts";

/** More values, members of one object, or levels are left to the reader of all JSON. */
const MAX_VALUES = 1024;
const MAX_MEMBERS = 32;
const MAX_LEVELS = 16;

/**
 * The fields of a value, as places in its row of numbers. `KEY` to `KEY_END` includes the quotes, as `START` to `END` does.
 * Row 0 is the top-level object's, so 0 means that there is no next or first value.
 */
const NEXT = 0;
const KEY = 1;
const KEY_END = 2;
const START = 3;
const END = 4;
/** The first member or item; `ODD` for a number that is not written in canonical form; otherwise 0. */
const FIRST = 5;
const WIDTH = 6;
const ODD = 1;

const QUOTE = 0x22;

const [TRUE, FALSE, NULL] = ["true", "false", "null"].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];
const NO_BYTES = Buffer.alloc(0);
/** Both are of one length. */
const FORBIDDEN = ['"__proto__"', '"prototype"'].map((text) => Buffer.from(text));
const FORBIDDEN_LENGTH = 11;

/** A value that was read: its place among all of them. */
export type PlainValue = number;

/**
 * Reads plain JSON, as nearly all senders write it, in one pass over its bytes: an object without escapes, exponents,
 * keys that are not ASCII, duplicate or dangerous keys. It returns `false` for all other bytes, whether or not they are
 * JSON, so whatever it accepts is strict JSON. Members are linked in the order of their keys, as in canonical form.
 */
export class PlainJson {
  #bytes: Buffer = NO_BYTES;
  #length = 0;
  #isAscii = true;
  readonly #rows = new Int32Array(MAX_VALUES * WIDTH);

  /** The top-level object. */
  readonly top: PlainValue = 0;

  /** Reads bytes; all values are those of the last ones. */
  read(bytes: Buffer): boolean {
    if (bytes[0] !== OPEN_OBJECT) return false;
    this.#isAscii = isAscii(bytes);
    if (!this.#isAscii && !isUtf8(bytes)) return false;
    this.#bytes = bytes;
    this.#length = 0;
    const end = this.#value(bytes, 0, 0);
    return end !== GIVEN_UP && afterSpace(bytes, end) === bytes.length;
  }

  /** The text of a value, for a string with its quotes. */
  text(value: PlainValue): string {
    return this.#bytes.toString(this.#isAscii ? "latin1" : "utf8", this.start(value), this.end(value));
  }

  /** Lets go of the bytes. */
  release(): void {
    this.#bytes = NO_BYTES;
  }

  /** Where the text of a value begins, and where it ends. */
  start(value: PlainValue): number {
    return this.#rows[value + START] as number;
  }

  end(value: PlainValue): number {
    return this.#rows[value + END] as number;
  }

  /** The same for its key. */
  keyStart(value: PlainValue): number {
    return this.#rows[value + KEY] as number;
  }

  keyEnd(value: PlainValue): number {
    return this.#rows[value + KEY_END] as number;
  }

  /** The first member or item of an object or list; 0 if it is empty. */
  first(value: PlainValue): PlainValue {
    return this.#rows[value + FIRST] as number;
  }

  /** The next member by key, or the next item; 0 after the last. */
  next(value: PlainValue): PlainValue {
    return this.#rows[value + NEXT] as number;
  }

  /** Whether a number has to be written in another way to be canonical. */
  isOddNumber(value: PlainValue): boolean {
    return this.#rows[value + FIRST] === ODD;
  }

  // Each of the following reads something from a position on, and returns the position after it, or gives up.

  #value(bytes: Buffer, start: number, level: number): number {
    const row = this.#length;
    const rows = this.#rows;
    if (row === rows.length || level > MAX_LEVELS) return GIVEN_UP;
    this.#length = row + WIDTH;
    rows[row + NEXT] = 0;
    rows[row + START] = start;
    rows[row + FIRST] = 0;
    const code = start < bytes.length ? (bytes[start] as number) : 0;
    let end: number;
    if (code === QUOTE) end = afterString(bytes, start);
    else if (code === OPEN_OBJECT) end = this.#object(bytes, start, row, level);
    else if (code === OPEN_LIST) end = this.#list(bytes, start, row, level);
    else if (code === 0x74) end = afterText(bytes, start, TRUE);
    else if (code === 0x66) end = afterText(bytes, start, FALSE);
    else if (code === 0x6e) end = afterText(bytes, start, NULL);
    else {
      end = afterNumber(bytes, start);
      if (end !== GIVEN_UP && isOdd(bytes, start, end)) rows[row + FIRST] = ODD;
    }
    rows[row + END] = end;
    return end;
  }

  #object(bytes: Buffer, start: number, row: PlainValue, level: number): number {
    const rows = this.#rows;
    let at = afterSpace(bytes, start + 1);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    let last = 0;
    for (let members = 0; members < MAX_MEMBERS; members++) {
      if (bytes[at] !== QUOTE) return GIVEN_UP;
      const keyEnd = afterString(bytes, at);
      if (keyEnd === GIVEN_UP || !this.#mayBeKey(bytes, at, keyEnd)) return GIVEN_UP;
      const key = at;
      at = afterSpace(bytes, keyEnd);
      if (bytes[at] !== COLON) return GIVEN_UP;
      const member = this.#length;
      at = this.#value(bytes, afterSpace(bytes, at + 1), level + 1);
      if (at === GIVEN_UP) return GIVEN_UP;
      rows[member + KEY] = key;
      rows[member + KEY_END] = keyEnd;
      if (last === 0) rows[row + FIRST] = last = member;
      else if (isBefore(bytes, rows, last, member)) {
        rows[last + NEXT] = member;
        last = member;
      } else if (!this.#insert(bytes, member, row)) return GIVEN_UP;
      at = afterSpace(bytes, at);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return GIVEN_UP;
      at = afterSpace(bytes, at + 1);
    }
    return GIVEN_UP;
  }

  /** Inserts a member of an object before another one, unless its key is there already. */
  #insert(bytes: Buffer, member: PlainValue, row: PlainValue): boolean {
    const rows = this.#rows;
    let before = 0;
    let after = rows[row + FIRST] as number;
    while (isBefore(bytes, rows, after, member)) {
      before = after;
      after = rows[after + NEXT] as number;
    }
    if (!isBefore(bytes, rows, member, after)) return false;
    rows[member + NEXT] = after;
    rows[before === 0 ? row + FIRST : before + NEXT] = member;
    return true;
  }

  #list(bytes: Buffer, start: number, row: PlainValue, level: number): number {
    const rows = this.#rows;
    let at = afterSpace(bytes, start + 1);
    if (bytes[at] === CLOSE_LIST) return at + 1;
    let link = row + FIRST;
    for (;;) {
      const item = this.#length;
      at = this.#value(bytes, at, level + 1);
      if (at === GIVEN_UP) return GIVEN_UP;
      rows[link] = item;
      link = item + NEXT;
      at = afterSpace(bytes, at);
      if (bytes[at] === CLOSE_LIST) return at + 1;
      if (bytes[at] !== COMMA) return GIVEN_UP;
      at = afterSpace(bytes, at + 1);
    }
  }

  /** Keys that are not ASCII have another order in canonical form; dangerous ones have to be reported. */
  #mayBeKey(bytes: Buffer, start: number, end: number): boolean {
    if (!this.#isAscii) {
      for (let at = start; at < end; at++) if ((bytes[at] as number) > 0x7f) return false;
    }
    if (end - start !== FORBIDDEN_LENGTH) return true;
    return !FORBIDDEN.some((key) => afterText(bytes, start, key) !== GIVEN_UP);
  }
}

/** Compares keys with their quotes, as the canonical form orders them. */
function isBefore(bytes: Buffer, rows: Int32Array, one: PlainValue, other: PlainValue): boolean {
  const end = rows[one + KEY_END] as number;
  let b = rows[other + KEY] as number;
  for (let a = rows[one + KEY] as number; a < end; a++, b++) {
    const first = bytes[a] as number;
    const second = bytes[b] as number;
    if (first !== second) return first < second;
  }
  return false; // both end with their second quote, so they are equal
}
