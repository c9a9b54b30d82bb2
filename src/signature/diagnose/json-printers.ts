import { ALPHABETICAL, HASH_MAP, type KeyOrder } from "./json-key-orders.ts";
import { printSpaced, SPACING, type Spacing } from "./json-spacing.ts";
import { ESCAPES, plainTokens, RARE_ESCAPES, type Spelling, spellStrings } from "./json-spelling.ts";
import { sortKeys, tokenise } from "./json-tokens.ts";

/** A library that prints JSON in its own way. */
export interface JsonPrinter {
  /** The functions that print the same bytes. */
  readonly name: string;
  /** How to read the raw bytes instead, in the languages of these functions. */
  readonly raw: string;
  /** Default: compact. */
  readonly spacing?: Spacing;
  /** Default: only the necessary ones. */
  readonly escapes?: Spelling;
  /** Default: that of the text. */
  readonly order?: KeyOrder;
  /** How it prints a number that it has parsed. Default: unchanged. */
  readonly number?: (number: string) => string;
  /** Whether it prints 385000.0 as it was, like most languages, but not JavaScript. */
  readonly keepsFractions?: boolean;
  /** Whether it reads texts that look like dates as dates. */
  readonly readsDates?: boolean;
  /** What it prints after the JSON. */
  readonly end?: string;
}

const PYTHON = "Flask's `request.get_data()`, Django's `request.body`";
const PHP = '`file_get_contents("php://input")`';
const GO = "`io.ReadAll(request.Body)`";
const RUBY = "`request.raw_post` in Rails, `request.body.read` in Rack";
const JAVA = "`@RequestBody byte[]` in Spring, `request.getInputStream()` in servlets";
const NET = "`Request.Body` copied to a byte array";
const NODE = "`express.raw({ type: () => true })`, or the chunks of the request";

const { oneLine, two, four, jackson } = SPACING;
const { ascii, slash, asciiAndSlash, html, gson, upperCase, net } = ESCAPES;

/** The order of a `HashMap` for the envelope alone, since the maps inside it keep the order of the text. */
const OUTER_HASH_MAP: KeyOrder = {
  name: "that of a Java HashMap, outside",
  comparing: (names) => (names.includes("webhook") ? HASH_MAP.comparing(names) : () => 0),
};

const ORG_JSON: Spelling = {
  name: "as org.json writes them",
  spell: (plain) =>
    plain.replaceAll("</", "<\\/").replace(/[\u0080-\u009f\u2000-\u20ff]/g, (found) => {
      return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
    }),
};

/** Every number, as Java prints a `double` of usual size. */
function asDouble(number: string): string {
  return /^-?\d+$/.test(number) ? `${number}.0` : number;
}

/**
 * How libraries print JSON. Some print a text unchanged that another has printed: what keeps the order of keys, the
 * fractions or the dates stands before what changes them, so that the first that fits a receiver is the right one.
 */
export const JSON_PRINTERS: readonly JsonPrinter[] = [
  { name: "Python's `json.dumps`", raw: PYTHON, spacing: oneLine, escapes: ascii },
  { name: "PHP's `json_encode`", raw: PHP, escapes: asciiAndSlash },
  {
    name: "Jackson's `writeValueAsString`, Ruby's `JSON.generate` or Python's `json.dumps` with `separators` and `ensure_ascii=False`",
    ...{ raw: `${JAVA}; ${RUBY}; ${PYTHON}`, keepsFractions: true },
  },
  {
    name: "JavaScript's `JSON.stringify` or PHP's `json_encode` with `JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE`",
    raw: `${NODE}; ${PHP}`,
  },
  { name: "Rails' `to_json` or Go's `json.Marshal` of a struct", raw: `${RUBY}; ${GO}`, escapes: html },
  { name: "Go's `json.Marshal` of a map", raw: GO, escapes: html, order: ALPHABETICAL },
  { name: "Gson's `toJson`", raw: JAVA, escapes: gson },
  { name: "Gson's `toJson` of a map", raw: JAVA, escapes: gson, number: asDouble },
  { name: ".NET's `JsonSerializer.Serialize`", raw: NET, escapes: net },
  { name: "Json.NET's `JsonConvert.SerializeObject`", raw: NET, readsDates: true },
  { name: "Go's `json.Encoder` of a struct", raw: GO, escapes: html, end: "\n" },
  { name: "Go's `json.Encoder` of a map", raw: GO, escapes: html, order: ALPHABETICAL, end: "\n" },
  {
    name: "Python's `json.dumps` with `sort_keys=True`",
    ...{ raw: PYTHON, spacing: oneLine, escapes: ascii, order: ALPHABETICAL },
  },
  { name: "Python's `json.dumps` with `ensure_ascii=False`", raw: PYTHON, spacing: oneLine },
  {
    name: "Python's `json.dumps` with `sort_keys=True` and `ensure_ascii=False`",
    ...{ raw: PYTHON, spacing: oneLine, order: ALPHABETICAL },
  },
  {
    name: "Python's `json.dumps` with `separators`, or PHP's `json_encode` with `JSON_UNESCAPED_SLASHES`",
    ...{ raw: `${PYTHON}; ${PHP}`, escapes: ascii },
  },
  {
    name: "Python's `json.dumps` with `separators` and `sort_keys=True`",
    ...{ raw: PYTHON, escapes: ascii, order: ALPHABETICAL },
  },
  {
    name: "Jackson with sorted keys, Rust's `serde_json`, or a canonical printer",
    ...{ raw: `${JAVA}; in Rust the body as \`Bytes\``, order: ALPHABETICAL },
  },
  {
    name: "Java's `org.json`",
    ...{ raw: JAVA, order: HASH_MAP, escapes: ORG_JSON },
  },
  {
    name: "Java's json-simple",
    ...{ raw: JAVA, order: HASH_MAP, escapes: RARE_ESCAPES.jsonSimple },
  },
  { name: "Jackson's `writeValueAsString` of a `HashMap`", raw: JAVA, order: OUTER_HASH_MAP },
  {
    name: "Gson's `toJson` of a `HashMap`",
    ...{ raw: JAVA, order: OUTER_HASH_MAP, escapes: gson, number: asDouble },
  },
  { name: "PHP's `json_encode` with `JSON_UNESCAPED_UNICODE`", raw: PHP, escapes: slash },
  {
    name: "PHP's `json_encode` with `JSON_PRETTY_PRINT`",
    ...{ raw: PHP, spacing: four, escapes: asciiAndSlash },
  },
  { name: "Jackson with `ESCAPE_NON_ASCII`", raw: JAVA, escapes: upperCase },
  { name: "Jackson's pretty printer", raw: JAVA, spacing: jackson },
  {
    name: ".NET's `JsonSerializer` with `WriteIndented`",
    ...{ raw: NET, spacing: two, escapes: net },
  },
  {
    name: "`JSON.stringify` or Ruby's `JSON.pretty_generate` with 2 spaces",
    ...{ raw: `${NODE}; ${RUBY}`, spacing: two },
  },
  { name: "`JSON.stringify` with 4 spaces", raw: NODE, spacing: four },
  { name: "Python's `json.dumps` with `indent=2`", raw: PYTHON, spacing: two, escapes: ascii },
  { name: "Python's `json.dumps` with `indent=4`", raw: PYTHON, spacing: four, escapes: ascii },
];

/** A JSON text as a library prints it after it has parsed it; `undefined` if the text is not JSON. */
export function printJson(text: string, printer: JsonPrinter): string | undefined {
  const json = tokenise(text);
  if (json === undefined) return undefined;
  const { spacing = SPACING.compact, escapes = ESCAPES.none, order, number, end = "" } = printer;
  const ordered = order === undefined ? json.tokens : sortKeys(json.tokens, order);
  const tokens = spellStrings(plainTokens(ordered), escapes).map((token) => {
    if (/^[-\d]/.test(token)) return number?.(token) ?? token;
    if (!token.startsWith('"') || printer.readsDates !== true) return token;
    return token.replace(/^("[\d-]+T[\d:]+)(\.\d*?)0+Z"$/, trimDate);
  });
  const printed = printSpaced(tokens, spacing, Number.POSITIVE_INFINITY);
  return printed === undefined ? undefined : printed + end;
}

/** Without zeros at the end of its fraction. */
function trimDate(_: string, before: string, fraction: string): string {
  return `${before}${fraction === "." ? "" : fraction}Z"`;
}
