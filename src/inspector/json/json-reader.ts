import { JsonLines } from "./json-lines.ts";

/** What may come next, in words; `end` stands for the bracket that closes the open container. */
type Expected = ExpectedKey | ":" | "a value" | "a value or ]" | ", or end" | "nothing more";
type ExpectedKey = "a key in double quotes" | "a key in double quotes or }";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPES = '"\\/bfnrt';
/** A literal or a number, as a whole: neither the start of `1.` or `1e`, nor that of `01`. */
const WORD =
  /true|false|null|-?(?:0(?!\d)|[1-9]\d*(?!\d))(?:\.\d+(?!\d)|(?!\.))(?:[eE][-+]?\d+|(?![eE]))/y;

/**
 * Reads the lines of a JSON text part by part, so that a large one does not block the page. Accepts
 * what `JSON.parse` does.
 */
export class JsonReader {
  readonly lines: JsonLines;
  readonly #text: string;
  #at = 0;
  #expected: Expected = "a value";
  readonly #open: number[] = [];
  /** Where the key of the current member starts; -1 outside of a member. */
  #key = -1;

  constructor(text: string) {
    this.#text = text;
    this.lines = new JsonLines(text);
  }

  /** Where the next token starts; after a failure, the one that is wrong. */
  get position(): number {
    return this.#at;
  }

  /** What was expected there, in words. */
  get expected(): string {
    const end = this.#inObject() ? "}" : "]";
    return this.#expected === ", or end" ? `, or ${end}` : this.#expected;
  }

  /** Reads at least this many characters more, if there are any. */
  read(characters: number): "more" | "done" | "failed" {
    const until = this.#at + characters;
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#text.length)
        return this.#expected === "nothing more" ? "done" : "failed";
      if (!this.#token()) return "failed";
      if (this.#at >= until) return "more";
    }
  }

  #token(): boolean {
    const mark = this.#text[this.#at] ?? "";
    switch (this.#expected) {
      case "nothing more":
        return false;
      case ":":
        if (mark !== ":") return false;
        this.#expected = "a value";
        return this.#moveTo(this.#at + 1);
      case ", or end":
        if (mark !== ",") return this.#end(mark);
        this.lines.addComma();
        this.#expected = this.#inObject() ? "a key in double quotes" : "a value";
        return this.#moveTo(this.#at + 1);
      case "a key in double quotes or }":
        return mark === "}" ? this.#end(mark) : this.#readKey(mark);
      case "a key in double quotes":
        return this.#readKey(mark);
      case "a value or ]":
        return mark === "]" ? this.#end(mark) : this.#readValue(mark);
      case "a value":
        return this.#readValue(mark);
    }
  }

  #readKey(mark: string): boolean {
    if (mark !== '"') return false;
    this.#key = this.#at;
    this.#expected = ":";
    return this.#moveTo(this.#stringEnd());
  }

  #readValue(mark: string): boolean {
    const value = this.#at;
    const parent = this.#open.at(-1) ?? -1;
    const start = this.#key >= 0 ? this.#key : value;
    this.#key = -1;
    if (mark === "{" || mark === "[") {
      this.#open.push(this.lines.add("open", { start, value, end: ++this.#at, parent }));
      this.#expected = mark === "{" ? "a key in double quotes or }" : "a value or ]";
      return true;
    }
    const end = mark === '"' ? this.#stringEnd() : this.#wordEnd();
    if (!this.#moveTo(end)) return false;
    this.lines.add("value", { start, value, end: this.#at, parent });
    this.#expected = parent < 0 ? "nothing more" : ", or end";
    return true;
  }

  #end(mark: string): boolean {
    const isRight = this.#open.length > 0 && mark === (this.#inObject() ? "}" : "]");
    if (!isRight) return false;
    const open = this.#open.pop() ?? 0;
    this.lines.close(open, ++this.#at);
    this.#expected = this.#open.length === 0 ? "nothing more" : ", or end";
    return true;
  }

  #inObject(): boolean {
    return this.lines.own(this.#open.at(-1) ?? -1) === "{";
  }

  #moveTo(end: number | undefined): boolean {
    if (end === undefined) return false;
    this.#at = end;
    return true;
  }

  #skipSpace(): void {
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  /** Loops instead of an expression, whose stack a string of a million characters would exhaust. */
  #stringEnd(): number | undefined {
    const text = this.#text;
    for (let at = this.#at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code < 0x20) return undefined;
      if (code !== BACKSLASH) continue;
      const escaped = text[++at] ?? "";
      if (escaped === "u" && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4;
      else if (escaped === "" || !ESCAPES.includes(escaped)) return undefined;
    }
    return undefined;
  }

  #wordEnd(): number | undefined {
    WORD.lastIndex = this.#at;
    return WORD.test(this.#text) ? WORD.lastIndex : undefined;
  }
}

/** The lines of a JSON text; `undefined` if it is not JSON. */
export function readJson(text: string): JsonLines | undefined {
  const reader = new JsonReader(text);
  return reader.read(Number.POSITIVE_INFINITY) === "done" ? reader.lines : undefined;
}

/** The lines of a text for a comparison: indented if it is JSON. */
export function comparableLines(text: string): readonly string[] {
  const lines = readJson(text);
  return lines === undefined ? text.split("\n") : [...lines.texts()];
}
