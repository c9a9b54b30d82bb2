import { canonicalNumber } from "./canonical-number.ts";
import { type CanonicalText, CanonicalTextBuilder, PIECE } from "./canonical-text.ts";

/** Deeper nesting is refused: no real envelope needs it, and deep values can crash the code that prints them. */
export const MAX_DEPTH = 64;

/** What is wrong with a text that `JSON.parse` accepts, and where (`data.amount`). */
export interface JsonFault {
  readonly reason: "duplicate_key" | "forbidden_key" | "too_deep";
  readonly path: string;
}

/** One value in a JSON text: its canonical form, and its position. */
export interface JsonSpan {
  /** The same for equal JSON values, whatever their key order, spacing, escapes or number format. */
  readonly canonical: CanonicalText;
  readonly start: number;
  readonly end: number;
}

/** The members of a top-level object, by key. */
export type JsonMembers = ReadonlyMap<string, JsonSpan>;

/** The result of {@link readMembers}. */
export type MembersResult = { readonly members: JsonMembers } | { readonly fault: JsonFault };

/**
 * Walks the text of a JSON object **that `JSON.parse` has already accepted** and returns the canonical form of each
 * member. The text is read a second time because parsed values hide duplicate keys (the last one wins silently), large
 * integers (rounded) and `__proto__` (an own key that pollutes prototypes in a later merge).
 *
 * @param piece - characters from which a canonical form is in pieces
 */
export function readMembers(text: string, piece: number = PIECE): MembersResult {
  const walk = new Walk(text, piece);
  try {
    return { members: walk.topLevel() };
  } catch (thrown) {
    if (thrown instanceof Fault) return { fault: thrown.fault };
    throw thrown;
  }
}

class Fault extends Error {
  readonly fault: JsonFault;
  constructor(fault: JsonFault) {
    super(fault.reason);
    this.fault = fault;
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Objects with this many keys or more look keys up in a set instead of comparing them one by one. */
const MANY_KEYS = 16;

/** A member with its key in canonical JSON form, quotes included. */
interface Member extends JsonSpan {
  readonly key: string;
}

class Walk {
  readonly #text: string;
  #at = 0;
  /** The position of the next backslash at or after the last position examined; past the end if there is none. */
  #backslash = -1;
  readonly #path: (string | number)[] = [];
  readonly #piece: number;

  constructor(text: string, piece: number) {
    this.#text = text;
    this.#piece = piece;
  }

  topLevel(): JsonMembers {
    this.#skipSpace();
    const members = new Map<string, JsonSpan>();
    for (const member of this.#members()) members.set(keyText(member.key), member);
    return members;
  }

  /** @param step - the key or list index of the value */
  #value(step: string | number): CanonicalText {
    const code = this.#code();
    if (code === QUOTE) return this.#string();
    if (code !== OPEN_OBJECT && code !== OPEN_LIST) return this.#scalar();
    this.#path.push(step);
    const canonical = code === OPEN_OBJECT ? this.#object() : this.#list();
    this.#path.pop();
    return canonical;
  }

  #object(): CanonicalText {
    const members = this.#members();
    const text = new CanonicalTextBuilder("{", this.#piece);
    let comma = "";
    for (const { key, canonical } of members) {
      text.add(`${comma}${key}:`);
      text.add(canonical);
      comma = ",";
    }
    return text.end("}");
  }

  /** The members of the current object, sorted by key. */
  #members(): readonly Member[] {
    this.#enter();
    const members = new SortedMembers();
    while (this.#code() !== CLOSE_OBJECT) {
      const key = this.#string();
      const place = members.placeOf(key);
      if (place === undefined) this.#fail("duplicate_key", key);
      if (key === '"__proto__"' || key === '"prototype"') this.#checkPoison(key);
      this.#skipSpace();
      this.#at++; // the colon
      this.#skipSpace();
      const start = this.#at;
      const canonical = this.#value(key);
      members.insert({ key, canonical, start, end: this.#at }, place);
      this.#next();
    }
    this.#at++;
    return members.all();
  }

  #checkPoison(key: string): void {
    // "constructor" alone can be a legitimate field; with "prototype" inside, it is always an attack.
    const poison = key === '"__proto__"' || this.#path.at(-1) === '"constructor"';
    if (poison) this.#fail("forbidden_key", key);
  }

  #list(): CanonicalText {
    this.#enter();
    const text = new CanonicalTextBuilder("[", this.#piece);
    for (let index = 0; this.#code() !== CLOSE_LIST; index++) {
      if (index > 0) text.add(",");
      text.add(this.#value(index));
      this.#next();
    }
    this.#at++;
    return text.end("]");
  }

  /** Looks for the closing quote and for a backslash before it: most strings have none, and are already canonical. */
  #string(): string {
    const text = this.#text;
    const start = this.#at;
    const quote = text.indexOf('"', start + 1);
    if (this.#backslash < start) {
      const next = text.indexOf("\\", start);
      this.#backslash = next < 0 ? text.length : next;
    }
    if (quote < this.#backslash) {
      this.#at = quote + 1;
      return text.slice(start, this.#at);
    }
    return this.#escapedString(start);
  }

  #escapedString(start: number): string {
    const text = this.#text;
    let at = start + 1;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (code === BACKSLASH) at++;
    }
    this.#at = at + 1;
    return JSON.stringify(JSON.parse(text.slice(start, this.#at)));
  }

  #scalar(): string {
    const start = this.#at;
    for (let code = this.#code(); code > SPACE && code !== COMMA; code = this.#code()) {
      if (code === CLOSE_LIST || code === CLOSE_OBJECT) break;
      this.#at++;
    }
    return canonicalNumber(this.#text.slice(start, this.#at)); // `true`, `false` and `null` stay as they are
  }

  #enter(): void {
    if (this.#path.length >= MAX_DEPTH) this.#fail("too_deep");
    this.#at++;
    this.#skipSpace();
  }

  #next(): void {
    this.#skipSpace();
    if (this.#code() !== COMMA) return;
    this.#at++;
    this.#skipSpace();
  }

  #skipSpace(): void {
    while (this.#code() <= SPACE) this.#at++; // NaN at the end of the text compares false
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #fail(reason: JsonFault["reason"], ...last: readonly string[]): never {
    const steps = [...this.#path, ...last];
    const path = steps.map((step) => (typeof step === "number" ? String(step) : keyText(step)));
    throw new Fault({ reason, path: path.join(".").slice(0, 200) });
  }
}

/** The plain text of a key in canonical form. */
function keyText(key: string): string {
  return key.includes("\\") ? JSON.parse(key) : key.slice(1, -1);
}

/** Collects members sorted by key: a few are inserted in order, many are sorted at the end. */
class SortedMembers {
  readonly #members: Member[] = [];
  #keys: Set<string> | undefined;

  /** The position for a member with this key; `undefined` if the key is already there. */
  placeOf(key: string): number | undefined {
    const members = this.#members;
    let place = members.length;
    if (place >= MANY_KEYS) {
      this.#keys ??= new Set(members.map((member) => member.key));
      return this.#keys.has(key) ? undefined : place;
    }
    for (; place > 0; place--) {
      const before = (members[place - 1] as Member).key;
      if (before < key) break;
      if (before === key) return undefined;
    }
    return place;
  }

  insert(member: Member, place: number): void {
    this.#keys?.add(member.key);
    if (place === this.#members.length) this.#members.push(member);
    else this.#members.splice(place, 0, member);
  }

  all(): readonly Member[] {
    return this.#keys === undefined ? this.#members : this.#members.sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}
