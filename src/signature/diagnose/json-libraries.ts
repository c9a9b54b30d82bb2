import {
  ALPHABETICAL,
  HASH_MAP,
  type KeyOrder,
  OUTER_HASH_MAP,
  SHORTER_FIRST,
} from "./json-key-orders.ts";
import { NUMBERS } from "./json-numbers.ts";
import { withEmpty, withoutNulls } from "./json-reshape.ts";
import { printSpaced, SPACING, type Spacing } from "./json-spacing.ts";
import {
  ESCAPES,
  plainTokens,
  RARE_ESCAPES,
  type Spelling,
  spellNumbers,
  spellStrings,
} from "./json-spelling.ts";
import { sortKeys, tokenise } from "./json-tokens.ts";

export interface Library {
  /** The function that prints it, and its options. */
  readonly name: string;
  /** How to read the raw bytes instead, in its language. */
  readonly raw: string;
  readonly spacing: Spacing;
  readonly strings: Spelling;
  /** Default: as they are. */
  readonly numbers?: Spelling;
  /** Default: that of the text. */
  readonly order?: KeyOrder;
  /** Whether it leaves out members that are `null`, or prints `{}` as `[]`. */
  readonly loses?: "nulls" | "objects";
  /** What it prints after the JSON. */
  readonly end?: string;
}

const { two, oneLine, jackson } = SPACING;
const { ascii, asciiAndSlash, html, gson: gsonEscapes, net: netEscapes } = ESCAPES;
const { symfony, jsonSimple, orgJson, jsonNetDates } = RARE_ESCAPES;
const order = ALPHABETICAL;

type Changes = Partial<Omit<Library, "name" | "raw">>;

/**
 * The libraries of a language, which print JSON compactly and with no more escapes than needed
 * unless they say so.
 */
function languageOf(raw: string, numbers?: Spelling) {
  return (name: string, changes: Changes = {}): Library => {
    const usual = {
      spacing: SPACING.compact,
      strings: ESCAPES.none,
      ...(numbers !== undefined && { numbers }),
    };
    return { name, raw, ...usual, ...changes };
  };
}

const JAVA = "`@RequestBody byte[]` in Spring, `request.getInputStream()` in servlets";
const NET = "`Request.Body` copied to a byte array";
const BYTES = "the chunks of the request, as bytes";

const node = languageOf(
  "`express.raw({ type: () => true })`, or the chunks of the request",
  NUMBERS.javascript,
);
const python = languageOf("Flask's `request.get_data()`, Django's `request.body`", NUMBERS.python);
const php = languageOf('`file_get_contents("php://input")`', NUMBERS.php);
const go = languageOf("`io.ReadAll(request.Body)`", NUMBERS.go);
const ruby = languageOf("`request.raw_post` in Rails, `request.body.read` in Rack", NUMBERS.ruby);
const java = languageOf(JAVA, NUMBERS.java);
const gson = languageOf(JAVA, NUMBERS.gson);
const asWritten = languageOf(JAVA);
const net = languageOf(NET);
const newtonsoft = languageOf(NET, NUMBERS.newtonsoft);
const rust = languageOf("in Rust the body as `Bytes`", NUMBERS.rust);
const jq = languageOf(BYTES, NUMBERS.jq);
const postgres = languageOf(BYTES, NUMBERS.postgres);

/**
 * How libraries print JSON by default, and with their most common options; most common first. The
 * rest of the search combines styles freely, but only in small bodies and without the less common
 * escapes.
 */
export const LIBRARIES: readonly Library[] = [
  python("Python's `json.dumps`", { spacing: oneLine, strings: ascii }),
  node("JavaScript's `JSON.stringify`"),
  php("PHP's `json_encode`", { strings: asciiAndSlash }),
  go("Go's `json.Marshal` of a map", { strings: html, order }),
  ruby("Ruby's `JSON.generate`"),
  java("Jackson's `writeValueAsString`"),
  gson("Gson's `toJson` of a map", { strings: gsonEscapes, loses: "nulls" }),
  net(".NET's `JsonSerializer.Serialize`", { strings: netEscapes }),
  python("Python's `json.dumps` with `ensure_ascii=False`", { spacing: oneLine }),
  python("Python's `json.dumps` with `separators`", { strings: ascii }),
  node("`JSON.stringify` with 2 spaces", { spacing: two }),
  python("Python's `json.dumps` with `sort_keys=True`", {
    spacing: oneLine,
    strings: ascii,
    order,
  }),
  python("Python's `json.dumps` with `separators` and `sort_keys=True`", { strings: ascii, order }),
  python("Python's `json.dumps` with `separators`, `sort_keys` and `ensure_ascii=False`", {
    order,
  }),
  ruby("Rails' `to_json`", { strings: html }),
  asWritten("Gson's `toJson`", { strings: gsonEscapes, loses: "nulls" }),
  postgres("PostgreSQL's `jsonb`", { spacing: oneLine, order: SHORTER_FIRST }),
  php("PHP's `json_encode`", { strings: asciiAndSlash, loses: "objects" }),
  php("PHP's `json_encode` with `JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE`"),
  php("PHP's `json_encode` with `JSON_UNESCAPED_SLASHES`", { strings: ascii }),
  php("Symfony's `JsonResponse`", { strings: symfony }),
  rust("Rust's `serde_json` or Python's orjson"),
  rust("Rust's `serde_json` with sorted keys", { order }),
  jq("`jq -c`"),
  jq("`jq`", { spacing: two }),
  java("Jackson's pretty printer", { spacing: jackson }),
  java("Java's json-simple", { strings: jsonSimple, order: HASH_MAP }),
  java("Java's json-simple", { strings: jsonSimple, numbers: NUMBERS.bigDecimal, order: HASH_MAP }),
  net(".NET's `JsonSerializer.Serialize`", { strings: netEscapes, numbers: NUMBERS.net }),
  go("Go's `json.Marshal` of a struct", { strings: html }),
  newtonsoft("Json.NET's `JsonConvert.SerializeObject`", { strings: jsonNetDates }),
  go("Go's `json.Encoder` of a struct", { strings: html, end: "\n" }),
  go("Go's `json.Encoder` of a map", { strings: html, order, end: "\n" }),
  python("FastAPI's `JSONResponse`"),
  java("Java's `org.json`", { strings: orgJson, numbers: NUMBERS.bigDecimal, order: HASH_MAP }),
  java("Jackson's `writeValueAsString` of a `HashMap`", { order: OUTER_HASH_MAP }),
  gson("Gson's `toJson` of a `HashMap`", { strings: gsonEscapes, order: OUTER_HASH_MAP }),
];

/** Tokens with plain strings, in the library's order, as it writes them. */
export function respelt(
  plain: readonly string[],
  { strings, numbers, loses }: Library,
): readonly string[] {
  const spelt = spellStrings(plain, strings);
  const numbered = numbers === undefined ? spelt : spellNumbers(spelt, numbers);
  if (loses === "nulls") return withoutNulls(numbered);
  return loses === "objects" ? withEmpty(numbered, "[]") : numbered;
}

/** More names of libraries that print the same are too many to read. */
const MOST_NAMES = 3;

/**
 * The functions that print the JSON of a body as these bytes, most common first; a line break at
 * the end aside.
 */
export function printersOf(body: Uint8Array, printed: Uint8Array): readonly string[] {
  const textOf = (bytes: Uint8Array) =>
    Buffer.from(bytes)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  const json = tokenise(textOf(body));
  if (json === undefined) return [];
  const plain = plainTokens(json.tokens);
  const wanted = textOf(printed).trimEnd();
  return namesOf(LIBRARIES.filter((library) => printPlain(plain, library)?.trimEnd() === wanted));
}

/** The names of libraries that print the same, without those that say no more. */
export function namesOf(libraries: readonly Pick<Library, "name">[]): readonly string[] {
  return [...new Set(libraries.map(({ name }) => name))].slice(0, MOST_NAMES);
}

/** Such as `as Go's json.Marshal or jq -c prints it`. */
export function printedText(names: readonly string[]): string {
  return `as ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names)} prints it`;
}

/**
 * A JSON text as a library prints it after it has parsed it; `undefined` if the text is not JSON.
 */
export function printJson(text: string, library: Library): string | undefined {
  const json = tokenise(text);
  return json === undefined ? undefined : printPlain(plainTokens(json.tokens), library);
}

/** Tokens with plain strings as a library prints them. */
function printPlain(plain: readonly string[], library: Library): string | undefined {
  const ordered = library.order === undefined ? plain : sortKeys(plain, library.order);
  const printed = printSpaced(respelt(ordered, library), library.spacing, Number.POSITIVE_INFINITY);
  return printed === undefined ? undefined : printed + (library.end ?? "");
}
