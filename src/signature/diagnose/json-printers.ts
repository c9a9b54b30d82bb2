import { ALPHABETICAL, HASH_MAP, type KeyOrder, OUTER_HASH_MAP } from "./json-key-orders.ts";
import { printSpaced, SPACINGS, type SpacingName } from "./json-spacing.ts";
import { ESCAPES, type EscapesName, plainTokens, spellStrings } from "./json-spelling.ts";
import { sortKeys, tokenise } from "./json-tokens.ts";

/** A library that prints JSON in its own way. */
export interface JsonPrinter {
  /** The functions that print the same bytes. */
  readonly name: string;
  /** How to read the raw bytes instead, in the languages of these functions. */
  readonly raw: string;
  /** Default: `compact`. */
  readonly spacing?: SpacingName;
  /** Default: only the necessary ones. */
  readonly escapes?: EscapesName;
  /** Default: that of the text. */
  readonly order?: KeyOrder;
  /** Rewrites a string after its escapes. */
  readonly spell?: (string: string) => string;
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

const SPACED: SpacingName = "a space after each comma and colon";
const ASCII: EscapesName = "non-ASCII as \\u escapes";
const SLASHES: EscapesName = "/ as \\/";
const PHP_ESCAPES: EscapesName = "non-ASCII as \\u escapes, / as \\/";
const HTML: EscapesName = "<, > and & as \\u escapes";
const GSON: EscapesName = "<, >, &, = and ' as \\u escapes";
const UPPER_CASE: EscapesName = "non-ASCII as upper-case \\u escapes";
const NET_ESCAPES: EscapesName = "non-ASCII, quotes, <, > and & as upper-case \\u escapes";

/** The characters besides the necessary ones that these two write as escapes. */
const ORG_JSON = /[\u0080-\u009f\u2000-\u20ff]/g;
const JSON_SIMPLE = /[\u007f-\u009f\u2000-\u20ff]/g;

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Every number, as Java prints a `double` of usual size. */
function asDouble(number: string): string {
  return /^-?\d+$/.test(number) ? `${number}.0` : number;
}

/**
 * How libraries print JSON. Some print a text unchanged that another has printed: what keeps the order of keys, the
 * fractions or the dates stands before what changes them, so that the first that fits a receiver is the right one.
 */
export const JSON_PRINTERS: readonly JsonPrinter[] = [
  { name: "Python's `json.dumps`", raw: PYTHON, spacing: SPACED, escapes: ASCII },
  { name: "PHP's `json_encode`", raw: PHP, escapes: PHP_ESCAPES },
  {
    name: "Jackson's `writeValueAsString`, Ruby's `JSON.generate` or Python's `json.dumps` with `separators` and `ensure_ascii=False`",
    ...{ raw: `${JAVA}; ${RUBY}; ${PYTHON}`, keepsFractions: true },
  },
  {
    name: "JavaScript's `JSON.stringify` or PHP's `json_encode` with `JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE`",
    raw: `${NODE}; ${PHP}`,
  },
  { name: "Rails' `to_json` or Go's `json.Marshal` of a struct", raw: `${RUBY}; ${GO}`, escapes: HTML },
  { name: "Go's `json.Marshal` of a map", raw: GO, escapes: HTML, order: ALPHABETICAL },
  { name: "Gson's `toJson`", raw: JAVA, escapes: GSON },
  { name: "Gson's `toJson` of a map", raw: JAVA, escapes: GSON, number: asDouble },
  { name: ".NET's `JsonSerializer.Serialize`", raw: NET, escapes: NET_ESCAPES },
  { name: "Json.NET's `JsonConvert.SerializeObject`", raw: NET, readsDates: true },
  { name: "Go's `json.Encoder` of a struct", raw: GO, escapes: HTML, end: "\n" },
  { name: "Go's `json.Encoder` of a map", raw: GO, escapes: HTML, order: ALPHABETICAL, end: "\n" },
  {
    name: "Python's `json.dumps` with `sort_keys=True`",
    ...{ raw: PYTHON, spacing: SPACED, escapes: ASCII, order: ALPHABETICAL },
  },
  { name: "Python's `json.dumps` with `ensure_ascii=False`", raw: PYTHON, spacing: SPACED },
  {
    name: "Python's `json.dumps` with `sort_keys=True` and `ensure_ascii=False`",
    ...{ raw: PYTHON, spacing: SPACED, order: ALPHABETICAL },
  },
  {
    name: "Python's `json.dumps` with `separators`, or PHP's `json_encode` with `JSON_UNESCAPED_SLASHES`",
    ...{ raw: `${PYTHON}; ${PHP}`, escapes: ASCII },
  },
  {
    name: "Python's `json.dumps` with `separators` and `sort_keys=True`",
    ...{ raw: PYTHON, escapes: ASCII, order: ALPHABETICAL },
  },
  {
    name: "Jackson with sorted keys, Rust's `serde_json`, or a canonical printer",
    ...{ raw: `${JAVA}; in Rust the body as \`Bytes\``, order: ALPHABETICAL },
  },
  {
    name: "Java's `org.json`",
    ...{ raw: JAVA, order: HASH_MAP },
    spell: (text) => text.replaceAll("</", "<\\/").replace(ORG_JSON, (found) => unicode(found)),
  },
  {
    name: "Java's json-simple",
    ...{ raw: JAVA, order: HASH_MAP, escapes: SLASHES },
    spell: (text) => text.replace(JSON_SIMPLE, (found) => unicode(found).toUpperCase().replace("U", "u")),
  },
  { name: "Jackson's `writeValueAsString` of a `HashMap`", raw: JAVA, order: OUTER_HASH_MAP },
  {
    name: "Gson's `toJson` of a `HashMap`",
    ...{ raw: JAVA, order: OUTER_HASH_MAP, escapes: GSON, number: asDouble },
  },
  { name: "PHP's `json_encode` with `JSON_UNESCAPED_UNICODE`", raw: PHP, escapes: SLASHES },
  {
    name: "PHP's `json_encode` with `JSON_PRETTY_PRINT`",
    ...{ raw: PHP, spacing: "4 spaces", escapes: PHP_ESCAPES },
  },
  { name: "Jackson with `ESCAPE_NON_ASCII`", raw: JAVA, escapes: UPPER_CASE },
  { name: "Jackson's pretty printer", raw: JAVA, spacing: "as Jackson prints it" },
  {
    name: ".NET's `JsonSerializer` with `WriteIndented`",
    ...{ raw: NET, spacing: "2 spaces", escapes: NET_ESCAPES },
  },
  {
    name: "`JSON.stringify` or Ruby's `JSON.pretty_generate` with 2 spaces",
    ...{ raw: `${NODE}; ${RUBY}`, spacing: "2 spaces" },
  },
  { name: "`JSON.stringify` with 4 spaces", raw: NODE, spacing: "4 spaces" },
  { name: "Python's `json.dumps` with `indent=2`", raw: PYTHON, spacing: "2 spaces", escapes: ASCII },
  { name: "Python's `json.dumps` with `indent=4`", raw: PYTHON, spacing: "4 spaces", escapes: ASCII },
];

/** A JSON text as a library prints it after it has parsed it; `undefined` if the text is not JSON. */
export function printJson(text: string, printer: JsonPrinter): string | undefined {
  const json = tokenise(text);
  if (json === undefined) return undefined;
  const { spacing = "compact", escapes = "no more escapes than needed", order, number, end = "" } = printer;
  const { readsDates = false, spell = String } = printer;
  const ordered = order === undefined ? json.tokens : sortKeys(json.tokens, order);
  const spelling = ESCAPES.find(({ name }) => name === escapes) ?? ESCAPES[0];
  const tokens = spellStrings(plainTokens(ordered), spelling).map((token) => {
    if (/^[-\d]/.test(token)) return number?.(token) ?? token;
    if (!token.startsWith('"')) return token;
    return readsDates ? token.replace(/^("[\d-]+T[\d:]+)(\.\d*?)0+Z"$/, trimDate) : spell(token);
  });
  const style = SPACINGS.find(({ name }) => name === spacing);
  if (style === undefined) return undefined;
  const printed = printSpaced(tokens, style, Number.POSITIVE_INFINITY);
  return printed === undefined ? undefined : printed + end;
}

/** Without zeros at the end of its fraction. */
function trimDate(_: string, before: string, fraction: string): string {
  return `${before}${fraction === "." ? "" : fraction}Z"`;
}
