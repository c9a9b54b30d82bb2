import { canonicalNumber } from "./canonical-number.ts";

/** Nesting deeper than this is refused: no real envelope comes near, and deep values break whoever prints them. */
export const MAX_DEPTH = 64;

/** What is wrong with a text that `JSON.parse` took, and where (`data.amount`). */
export interface JsonFault {
  readonly reason: "duplicate_key" | "forbidden_key" | "too_deep";
  readonly path: string;
}

/** One value of a JSON text: its canonical form, and where its own text stands. */
export interface JsonSpan {
  /** Same for equal JSON values, whatever their key order, spacing, escapes or way of writing a number. */
  readonly canonical: string;
  readonly start: number;
  readonly end: number;
}

/** The members of a top-level object, by key. */
export type JsonMembers = ReadonlyMap<string, JsonSpan>;

/** The two ways {@link readMembers} can end. */
export type MembersResult = { readonly members: JsonMembers } | { readonly fault: JsonFault };

/**
 * Walks the text of a JSON object **that `JSON.parse` has already taken** and gives the canonical form of each member.
 * A second walk over the text, because parsed values no longer show duplicate keys (the last one wins in silence), big
 * integers (rounded) or `__proto__` (an own key that a later merge turns into poison).
 */
export function readMembers(text: string): MembersResult {
  const walk = new Walk(text);
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

class Walk {
  readonly #text: string;
  #at = 0;
  readonly #path: (string | number)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  topLevel(): JsonMembers {
    this.#skipSpace();
    const members = new Map<string, JsonSpan>();
    for (const { key, ...span } of this.#members()) members.set(JSON.parse(key), span);
    return members;
  }

  #value(): string {
    const code = this.#code();
    if (code === QUOTE) return this.#string();
    if (code === OPEN_OBJECT) return this.#object();
    if (code === OPEN_LIST) return this.#list();
    return this.#scalar();
  }

  #object(): string {
    const members = this.#members().sort((a, b) => (a.key < b.key ? -1 : 1));
    return `{${members.map((member) => `${member.key}:${member.canonical}`).join(",")}}`;
  }

  /** The members of the object at hand in their own order; keys stay in canonical JSON form, quotes included. */
  #members(): (JsonSpan & { key: string })[] {
    this.#enter();
    const members: (JsonSpan & { key: string })[] = [];
    const seen = new Set<string>();
    while (this.#code() !== CLOSE_OBJECT) {
      const key = this.#string();
      this.#path.push(key);
      this.#checkKey(key, seen);
      this.#skipSpace();
      this.#at++; // the colon
      this.#skipSpace();
      const start = this.#at;
      const canonical = this.#value();
      members.push({ key, canonical, start, end: this.#at });
      this.#path.pop();
      this.#next();
    }
    this.#at++;
    return members;
  }

  #checkKey(key: string, seen: Set<string>): void {
    if (seen.has(key)) this.#fail("duplicate_key");
    seen.add(key);
    // "constructor" alone can be an honest field; with "prototype" inside it is only ever an attack.
    const poison = key === '"__proto__"' || (key === '"prototype"' && this.#path.at(-2) === '"constructor"');
    if (poison) this.#fail("forbidden_key");
  }

  #list(): string {
    this.#enter();
    const values: string[] = [];
    while (this.#code() !== CLOSE_LIST) {
      this.#path.push(values.length);
      values.push(this.#value());
      this.#path.pop();
      this.#next();
    }
    this.#at++;
    return `[${values.join(",")}]`;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let escaped = false;
    let at = start + 1;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (code !== BACKSLASH) continue;
      escaped = true;
      at++;
    }
    this.#at = at + 1;
    const raw = text.slice(start, this.#at);
    return escaped ? JSON.stringify(JSON.parse(raw)) : raw;
  }

  #scalar(): string {
    const start = this.#at;
    for (let code = this.#code(); code > SPACE && code !== COMMA; code = this.#code()) {
      if (code === CLOSE_LIST || code === CLOSE_OBJECT) break;
      this.#at++;
    }
    const lexeme = this.#text.slice(start, this.#at);
    return lexeme === "true" || lexeme === "false" || lexeme === "null" ? lexeme : canonicalNumber(lexeme);
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

  #fail(reason: JsonFault["reason"]): never {
    const path = this.#path.map((step) => (typeof step === "number" ? String(step) : JSON.parse(step)));
    throw new Fault({ reason, path: path.join(".").slice(0, 200) });
  }
}
