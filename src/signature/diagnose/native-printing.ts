import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";
import { ALPHABETICAL, type KeyOrder } from "./json-key-orders.ts";
import { NUMBERS } from "./json-numbers.ts";
import type { Spelling } from "./json-spelling.ts";
import { type JsonTokens, sortKeys } from "./json-tokens.ts";

/** How a language shows an object that it has parsed from JSON. */
interface Native {
  readonly name: string;
  /**
   * How it writes what stands between the values. Default: as JSON has it, with a space after a
   * comma.
   */
  readonly marks: Readonly<Record<string, string>>;
  readonly string?: (value: string) => string;
  readonly number: Spelling;
  readonly words?: Readonly<Record<string, string>>;
  readonly order?: KeyOrder;
}

const RUBY = { string: rubyString, number: NUMBERS.ruby, words: { null: "nil" } };

const NATIVE: readonly Native[] = [
  {
    name: "as Python shows a dict",
    marks: { ":": ": " },
    string: pythonString,
    number: NUMBERS.python,
    words: { true: "True", false: "False", null: "None" },
  },
  { ...RUBY, name: "as Ruby shows a hash", marks: { ":": "=>" } },
  { ...RUBY, name: "as Ruby 3.4 shows a hash", marks: { ":": " => " } },
  { name: "as Java shows a map", marks: { ":": "=" }, number: NUMBERS.java },
  { name: "as Java shows a map that Gson has read", marks: { ":": "=" }, number: NUMBERS.gson },
  {
    name: "as Go shows a map",
    marks: { "{": "map[", "}": "]", ",": " " },
    number: NUMBERS.go,
    words: { null: "<nil>" },
    order: ALPHABETICAL,
  },
];

/**
 * The body as a language shows it after parsing, for a program that signs this text in place of the
 * JSON.
 */
export function nativeVariants({ tokens }: JsonTokens): readonly BodyVariant[] {
  // a string alone is the same text in JSON that was encoded twice
  if (tokens.length === 1) return [];
  return NATIVE.flatMap((native) => {
    const why = cause("body_not_json", `${native.name}, on the signing side`);
    const ordered = () => (native.order === undefined ? tokens : sortKeys(tokens, native.order));
    const show = () =>
      ordered()
        .map((token) => shown(token, native))
        .join("");
    // `print` and `puts` add a line break.
    const ended = [why, cause("newline_at_end", "one on the signing side")];
    return [variant([why], show, "printed"), variant(ended, () => `${show()}\n`, "printed")];
  });
}

function shown(
  token: string,
  { marks, string = (value) => value, number, words = {} }: Native,
): string {
  if (token.startsWith('"')) return string(JSON.parse(token));
  if (/^[-\d]/.test(token)) return number.spell(token);
  return marks[token] ?? words[token] ?? (token === "," ? ", " : token);
}

function pythonString(value: string): string {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const text = value
    .replaceAll("\\", "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return quote + text + quote;
}

function rubyString(value: string): string {
  const text = JSON.stringify(value).slice(1, -1);
  return `"${text.replace(/#(?=[{$@])/g, "\\#")}"`;
}

// A string without an end is read as one, too: else each quote in it would be tried as the
// beginning of another.
const PYTHON_TOKEN = /'((?:[^'\\]|\\.?)*)(?:'|$)|"((?:[^"\\]|\\.?)*)(?:"|$)|\b(True|False|None)\b/g;
const PYTHON_WORDS: Readonly<Record<string, string>> = {
  True: "true",
  False: "false",
  None: "null",
};
const RUBY_TOKEN = /("(?:[^"\\]|\\.?)*(?:"|$))|=>|\bnil\b/g;

/**
 * A body that a language shows, as JSON again; `undefined` if it is none. Java shows too little for
 * that.
 */
export function jsonOfNative(
  text: string,
): { readonly name: string; readonly json: string } | undefined {
  if (/^\s*[{[]\s*[{['"]/.test(text) && /'\s*:/.test(text)) {
    const json = text.replace(
      PYTHON_TOKEN,
      (_, single?: string, double?: string, word?: string) => {
        if (word !== undefined) return PYTHON_WORDS[word] ?? word;
        return double === undefined
          ? jsonString(single ?? "")
          : `"${double.replaceAll('"', '\\"')}"`;
      },
    );
    return { name: "as Python shows a dict, on this side", json };
  }
  if (/^\s*[{[].*"\s*=>/s.test(text)) {
    const json = text.replace(RUBY_TOKEN, (found, string?: string) => {
      if (string !== undefined) return string.replace(/\\#/g, "#").replace(/\\e/g, "\\u001b");
      return found === "nil" ? "null" : ":";
    });
    return { name: "as Ruby shows a hash, on this side", json };
  }
  return undefined;
}

/** A string between single quotes, with its escapes as JSON has them. */
function jsonString(inside: string): string {
  const text = inside.replace(/\\'|\\x([0-9a-f]{2})|"/g, (found, hex?: string) => {
    if (hex !== undefined) return `\\u00${hex}`;
    return found === '"' ? '\\"' : "'";
  });
  return `"${text}"`;
}
