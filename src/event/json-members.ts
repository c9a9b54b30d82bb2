import { TextDecoder } from "../base/text/text-coders.ts";

/**
 * Objects with this many keys or more look keys up in a set instead of comparing them one by one.
 */
export const MANY_KEYS = 16;

/**
 * The fields of a member, as places in its row of numbers: first of the canonical form, then of the
 * bytes read.
 */
const KEY = 0;
const KEY_END = 1;
const VALUE_END = 2;
const START = 3;
const END = 4;
const WIDTH = 5;

/** Numbers that there is room for at first, and that are kept for the next text. */
const ROOM = 256 * WIDTH;

const NO_BYTES = new Uint8Array();

const decoder = new TextDecoder();

/** Where the value of a member is in the bytes that were read. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The members of the objects being read, each as a row of numbers. Keys are compared in canonical
 * form, with quotes.
 */
export class JsonMembers {
  #rows = new Int32Array(ROOM);
  #used = 0;
  #out: Uint8Array = NO_BYTES;

  /** @param out - where the canonical form is written */
  begin(out: Uint8Array): void {
    this.#out = out;
    this.#used = 0;
  }

  /** Adds a member whose key is written from `key` to `keyEnd`; returns its row. */
  add(key: number, keyEnd: number): number {
    const row = this.#used;
    this.#used += WIDTH;
    if (this.#used > this.#rows.length) {
      const more = new Int32Array(2 * this.#rows.length);
      more.set(this.#rows);
      this.#rows = more;
    }
    this.#rows[row + KEY] = key;
    this.#rows[row + KEY_END] = keyEnd;
    return row;
  }

  /** Notes where the value of a member was written, and where it was read. */
  end(row: number, valueEnd: number, start: number, end: number): void {
    this.#rows[row + VALUE_END] = valueEnd;
    this.#rows[row + START] = start;
    this.#rows[row + END] = end;
  }

  forget(count: number): void {
    this.#used -= count * WIDTH;
  }

  release(): void {
    this.#out = NO_BYTES;
    if (this.#rows.length > ROOM) this.#rows = new Int32Array(ROOM);
  }

  /** Inserts a member in the order of the keys; returns `false` if its key is there already. */
  insert(row: number, order: number[]): boolean {
    let place = order.length;
    for (; place > 0; place--) {
      const before = order[place - 1] as number;
      const compared = this.compare(before, row);
      if (compared === 0) return false;
      if (compared < 0) break;
      order[place] = before;
    }
    order[place] = row;
    return true;
  }

  /** The keys of the members of a large object, to find the next ones in. */
  keysOf(order: readonly number[]): Set<string> {
    return new Set(order.map((row) => this.keyText(row)));
  }

  /**
   * Adds a member of a large object, which is sorted at its end; returns `false` if its key is
   * there already.
   */
  append(row: number, order: number[], keys: Set<string>): boolean {
    order.push(row);
    return keys.size < keys.add(this.keyText(row)).size;
  }

  /** Compares two keys as JavaScript compares strings: by UTF-16 units. */
  compare(left: number, right: number): number {
    const out = this.#out;
    const end = this.#rows[left + KEY_END] as number;
    let b = this.#rows[right + KEY] as number;
    for (let a = this.#rows[left + KEY] as number; a < end; a++, b++) {
      if (out[a] !== out[b]) return rank(out[a] as number) - rank(out[b] as number);
    }
    return 0; // both end with their second quote
  }

  isKey(row: number, key: string): boolean {
    const start = (this.#rows[row + KEY] as number) + 1;
    if ((this.#rows[row + KEY_END] as number) - 1 - start !== key.length) return false;
    for (let at = 0; at < key.length; at++)
      if (this.#out[start + at] !== key.charCodeAt(at)) return false;
    return true;
  }

  keyText(row: number): string {
    return JSON.parse(
      decoder.decode(this.#out.subarray(this.#rows[row + KEY], this.#rows[row + KEY_END])),
    );
  }

  /** Where the whole member was written, as `"key":value`. */
  written(row: number): JsonSpan {
    return { start: this.#rows[row + KEY] as number, end: this.#rows[row + VALUE_END] as number };
  }

  /** Where its value was written. */
  value(row: number): JsonSpan {
    return {
      start: (this.#rows[row + KEY_END] as number) + 1,
      end: this.#rows[row + VALUE_END] as number,
    };
  }

  /** Where its value was read. */
  source(row: number): JsonSpan {
    return { start: this.#rows[row + START] as number, end: this.#rows[row + END] as number };
  }
}

/**
 * The place of a byte of UTF-8 in the order of UTF-16, in which surrogates come before U+E000 to
 * U+FFFF.
 */
function rank(byte: number): number {
  return byte === 0xee || byte === 0xef ? byte + 0x10 : byte;
}

/**
 * Bytes of a string or a member that are copied one by one; more are copied by a call, which takes
 * as long as this.
 */
export const FEW = 64;

export function isRising(rows: readonly number[]): boolean {
  for (let index = 1; index < rows.length; index++) {
    if ((rows[index] as number) < (rows[index - 1] as number)) return false;
  }
  return true;
}

/** Copies bytes; returns where they end. */
export function copyBytes(
  from: Uint8Array,
  { start, end }: JsonSpan,
  to: Uint8Array,
  at: number,
): number {
  const length = end - start;
  if (length > FEW) to.set(from.subarray(start, end), at);
  else for (let index = 0; index < length; index++) to[at + index] = from[start + index] as number;
  return at + length;
}
