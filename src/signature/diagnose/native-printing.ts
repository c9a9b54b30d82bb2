import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";
import { NUMBERS } from "./json-numbers.ts";
import type { JsonTokens } from "./json-tokens.ts";

/** The work to print one token; hashing one byte is 1. */
const TOKEN_WORK = 300;

/** How a language shows an object that it has parsed from JSON. */
interface Native {
  readonly name: string;
  readonly colon: string;
  readonly string: (value: string) => string;
  readonly number: (number: string) => string;
  readonly words: Readonly<Record<string, string>>;
}

const NATIVE: readonly Native[] = [
  {
    name: "as Python shows a dict",
    colon: ": ",
    string: pythonString,
    number: NUMBERS.python.spell,
    words: { true: "True", false: "False", null: "None" },
  },
  {
    name: "as Ruby shows a hash",
    colon: "=>",
    string: rubyString,
    number: NUMBERS.ruby.spell,
    words: { null: "nil" },
  },
  {
    name: "as Java shows a map",
    colon: "=",
    string: (value) => value,
    number: NUMBERS.java.spell,
    words: {},
  },
  {
    name: "as Java shows a map that Gson has read",
    colon: "=",
    string: (value) => value,
    number: NUMBERS.gson.spell,
    words: {},
  },
];

/** The body as a language shows it after parsing, for a program that signs this text in place of the JSON. */
export function nativeVariants({ tokens }: JsonTokens): readonly BodyVariant[] {
  return NATIVE.flatMap((native) => {
    const why = cause("body_not_json", `${native.name}, on the signing side`);
    const show = () => tokens.map((token) => shown(token, native)).join("");
    const work = tokens.length * TOKEN_WORK;
    // `print` and `puts` add a line break.
    const ended = [why, cause("newline_at_end", "one on the signing side")];
    return [variant([why], show, work), variant(ended, () => `${show()}\n`, work)];
  });
}

function shown(token: string, { colon, string, number, words }: Native): string {
  if (token === ":") return colon;
  if (token === ",") return ", ";
  if (token.startsWith('"')) return string(JSON.parse(token));
  return /^[-\d]/.test(token) ? number(token) : (words[token] ?? token);
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

const PYTHON_TOKEN = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\b(True|False|None)\b/g;
const PYTHON_WORDS: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
const RUBY_TOKEN = /("(?:[^"\\]|\\.)*")|=>|\bnil\b/g;

/** A body that a language shows, as JSON again; `undefined` if it is none. Java shows too little for that. */
export function jsonOfNative(text: string): { readonly name: string; readonly json: string } | undefined {
  if (/^\s*[{[]\s*[{['"]/.test(text) && /'\s*:/.test(text)) {
    const json = text.replace(PYTHON_TOKEN, (_, single?: string, double?: string, word?: string) => {
      if (word !== undefined) return PYTHON_WORDS[word] ?? word;
      return double === undefined ? jsonString(single ?? "") : `"${double.replaceAll('"', '\\"')}"`;
    });
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
