import { TextDecoder, TextEncoder } from "../base/text/text-coders.ts";
import {
  canonicalNumber,
  type InexactNumber,
  isHeld,
  MAX_INEXACT,
  SURE_DIGITS,
} from "./canonical-number.ts";
import { JSON_BYTES } from "./json-bytes.ts";
import { Fault, type JsonFault } from "./json-fault.ts";
import { copyBytes, FEW, isRising, JsonMembers, type JsonSpan, MANY_KEYS } from "./json-members.ts";

/**
 * Deeper nesting is refused: no real envelope needs it, and deep values can crash the code that
 * prints them.
 */
export const MAX_DEPTH = 64;

const { SPACE, QUOTE, COMMA, MINUS, POINT, ZERO, NINE, COLON, BACKSLASH, LETTER_E } = JSON_BYTES;
const { OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT } = JSON_BYTES;

/** Bytes up to which the working memory is kept for the next text. */
const KEPT = 64 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Writes JSON in canonical form: the same bytes for equal values, whatever their key order,
 * spacing, escapes or number format. It works on the bytes of a text **that `JSON.parse` has
 * already accepted**, since parsed values hide duplicate keys (the last one wins silently), large
 * integers (rounded) and `__proto__` (an own key that pollutes prototypes in a later merge). One
 * pass copies values as they come, and puts the members of an object in order at its end.
 */
export class CanonicalJson {
  readonly #small = [new Uint8Array(KEPT), new Uint8Array(KEPT)] as const;
  #bytes: Uint8Array = this.#small[0];
  #at = 0;
  #out: Uint8Array = this.#small[0];
  #length = 0;
  /** For members that change places. */
  #aside: Uint8Array = this.#small[1];
  /**
   * The position of the next backslash at or after the last position examined; past the end if
   * there is none.
   */
  #backslash = -1;
  readonly #members = new JsonMembers();
  /** The members of the top-level object. */
  #top: readonly number[] = [];
  /** The first numbers of the text that parsing changes. */
  inexact: InexactNumber[] = [];
  /** What leads to the open containers: the row of a member, or the complement of a list index. */
  readonly #path: number[] = [];

  /**
   * Reads the bytes of a JSON object, which may begin with a byte order mark; returns what is wrong
   * with it, if anything.
   */
  read(bytes: Uint8Array): JsonFault | undefined {
    this.#bytes = bytes;
    // Only numbers can become longer, at most by half with the comma behind them: `1.5` becomes
    // `15e-1`.
    const most = bytes.length + (bytes.length >> 1) + 2;
    if (most > KEPT) [this.#out, this.#aside] = [new Uint8Array(most), new Uint8Array(most)];
    this.#at = bytes[0] === 0xef ? 3 : 0;
    this.#length = this.#path.length = 0;
    this.#backslash = -1;
    if (this.inexact.length > 0) this.inexact = [];
    this.#members.begin(this.#out);
    try {
      this.#skipSpace();
      this.#top = this.#readMembers();
      return undefined;
    } catch (thrown) {
      if (thrown instanceof Fault) return thrown.fault;
      throw thrown;
    }
  }

  /** Where the value of a top-level member was read, if there is one with this key. */
  span(key: string): JsonSpan | undefined {
    const row = this.#find(key);
    return row === undefined ? undefined : this.#members.source(row);
  }

  /**
   * The canonical form of a list of top-level members' values; valid until the next text is read.
   */
  listOf(...keys: readonly string[]): Uint8Array {
    const list = this.#aside;
    let length = 0;
    for (const key of keys) {
      const row = this.#find(key);
      if (row === undefined) throw new TypeError(`expected a member ${key}, got none`);
      list[length++] = length === 1 ? OPEN_LIST : COMMA;
      length = copyBytes(this.#out, this.#members.value(row), list, length);
    }
    list[length++] = CLOSE_LIST;
    return list.subarray(0, length);
  }

  /** Lets go of the text, and of the memory that a long one took. */
  release(): void {
    [this.#out, this.#aside] = this.#small;
    this.#bytes = this.#out;
    this.#top = [];
    this.#members.release();
  }

  #find(key: string): number | undefined {
    for (const row of this.#top) if (this.#members.isKey(row, key)) return row;
    return undefined;
  }

  /** @param step - the row of the member, or the complement of the index, whose value this is */
  #value(step: number): void {
    const code = this.#bytes[this.#at];
    if (code === QUOTE) this.#string();
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      this.#path.push(step);
      if (code === OPEN_OBJECT) this.#object();
      else this.#list();
      this.#path.pop();
    } else this.#scalar(step);
  }

  #object(): void {
    const start = this.#length + 1;
    const rows = this.#readMembers();
    if (!isRising(rows)) this.#reorder(start, rows);
    this.#out[this.#length++] = CLOSE_OBJECT;
    this.#members.forget(rows.length);
  }

  /** Copies the members of an object; returns them in the order of their keys. */
  #readMembers(): readonly number[] {
    this.#enter(OPEN_OBJECT);
    const members = this.#members;
    const order: number[] = [];
    let keys: Set<string> | undefined;
    while (this.#bytes[this.#at] !== CLOSE_OBJECT) {
      if (order.length > 0) this.#out[this.#length++] = COMMA;
      const key = this.#length;
      this.#string();
      const row = members.add(key, this.#length);
      if (order.length === MANY_KEYS) keys ??= members.keysOf(order);
      const isNew =
        keys === undefined ? members.insert(row, order) : members.append(row, order, keys);
      if (!isNew) this.#fail("duplicate_key", row);
      this.#checkPoison(row);
      this.#skipSpace();
      this.#at++;
      this.#out[this.#length++] = COLON;
      this.#skipSpace();
      const start = this.#at;
      this.#value(row);
      members.end(row, this.#length, start, this.#at);
      this.#next();
    }
    this.#at++;
    return keys === undefined ? order : order.sort((a, b) => members.compare(a, b));
  }

  /** Puts the members of an object, the first of which was written at `start`, in this order. */
  #reorder(start: number, rows: readonly number[]): void {
    copyBytes(this.#out, { start, end: this.#length }, this.#aside, start);
    let at = start;
    for (const row of rows) {
      if (at > start) this.#out[at++] = COMMA;
      at = copyBytes(this.#aside, this.#members.written(row), this.#out, at);
    }
  }

  #checkPoison(row: number): void {
    // "constructor" alone can be a legitimate field; with "prototype" inside, it is always an
    // attack.
    const members = this.#members;
    const container = this.#path.at(-1) ?? -1;
    const isPoison =
      members.isKey(row, "__proto__") ||
      (members.isKey(row, "prototype") &&
        container >= 0 &&
        members.isKey(container, "constructor"));
    if (isPoison) this.#fail("forbidden_key", row);
  }

  #list(): void {
    this.#enter(OPEN_LIST);
    for (let index = 0; this.#bytes[this.#at] !== CLOSE_LIST; index++) {
      if (index > 0) this.#out[this.#length++] = COMMA;
      this.#value(~index);
      this.#next();
    }
    this.#at++;
    this.#out[this.#length++] = CLOSE_LIST;
  }

  /**
   * Copies a string, byte by byte at first, since most are short. Without escapes it is canonical
   * already.
   */
  #string(): void {
    const bytes = this.#bytes;
    const out = this.#out;
    let at = this.#at;
    let to = this.#length;
    let code: number = QUOTE;
    const near = at + FEW;
    do {
      out[to++] = code;
      code = bytes[++at] as number;
    } while (code !== QUOTE && code !== BACKSLASH && at < near);
    if (code === QUOTE) {
      out[to++] = code;
      this.#at = at + 1;
      this.#length = to;
    } else if (code === BACKSLASH) this.#escapedString();
    else this.#longString(at, to);
  }

  #longString(at: number, to: number): void {
    const bytes = this.#bytes;
    const quote = bytes.indexOf(QUOTE, at);
    if (this.#backslash < at) {
      const next = bytes.indexOf(BACKSLASH, at);
      this.#backslash = next < 0 ? bytes.length : next;
    }
    if (this.#backslash < quote) this.#escapedString();
    else {
      this.#at = quote + 1;
      this.#length = copyBytes(bytes, { start: at, end: quote + 1 }, this.#out, to);
    }
  }

  #escapedString(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start + 1;
    for (let code = bytes[at]; code !== QUOTE; code = bytes[++at]) {
      if (code === BACKSLASH) at++;
    }
    this.#at = at + 1;
    this.#write(JSON.stringify(JSON.parse(decoder.decode(bytes.subarray(start, at + 1)))));
  }

  /** Copies a number, or `true`, `false` or `null`. */
  #scalar(step: number): void {
    const bytes = this.#bytes;
    const out = this.#out;
    const start = this.#at;
    let at = start;
    let to = this.#length;
    let code = bytes[at] as number;
    const isNumber = code === MINUS || (code >= ZERO && code <= NINE);
    let isPlain = true;
    // Past the end there is `undefined`, which compares false.
    while (code > SPACE && code !== COMMA && code !== CLOSE_LIST && code !== CLOSE_OBJECT) {
      if (code === POINT || (code | 0x20) === LETTER_E) isPlain = false;
      out[to++] = code;
      code = bytes[++at] as number;
    }
    this.#at = at;
    const length = at - start;
    const isCanonical =
      isPlain && length <= SURE_DIGITS && (length === 1 || bytes[at - 1] !== ZERO);
    if (!isNumber || isCanonical) this.#length = to;
    else this.#number(decoder.decode(bytes.subarray(start, at)), step);
  }

  #number(text: string, step: number): void {
    const canonical = canonicalNumber(text);
    if (this.inexact.length < MAX_INEXACT && !isHeld(text, canonical)) {
      this.inexact.push({ steps: this.#steps(step), text });
    }
    this.#write(canonical);
  }

  #write(text: string): void {
    this.#length += encoder.encodeInto(text, this.#out.subarray(this.#length)).written;
  }

  #enter(open: number): void {
    if (this.#path.length >= MAX_DEPTH) this.#fail("too_deep");
    this.#at++;
    this.#out[this.#length++] = open;
    this.#skipSpace();
  }

  #next(): void {
    this.#skipSpace();
    if (this.#bytes[this.#at] !== COMMA) return;
    this.#at++;
    this.#skipSpace();
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    while ((bytes[this.#at] as number) <= SPACE) this.#at++;
  }

  #fail(reason: JsonFault["reason"], ...last: readonly number[]): never {
    throw new Fault({
      reason,
      path: this.#steps(...last)
        .join(".")
        .slice(0, 200),
    });
  }

  /** What leads to the open containers, and on. */
  #steps(...last: readonly number[]): readonly (string | number)[] {
    return [...this.#path, ...last].map((step) => (step < 0 ? ~step : this.#members.keyText(step)));
  }
}
