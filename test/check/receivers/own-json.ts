/** How a language prints JSON. */
interface Style {
  readonly comma?: string;
  readonly colon?: string;
  readonly isSorted?: boolean;
  /** A string with its quotes, from what `JSON.stringify` prints. */
  readonly text?: (json: string) => string;
  readonly number?: (value: number) => string;
}

const hex4 = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const ascii = (json: string) => json.replace(/[\u007f-\uffff]/g, hex4);
const upper = (json: string) => hex4(json).slice(2).toUpperCase();

/**
 * JSON as languages print it after they have parsed it; written by what they print, not by the
 * program under test.
 */
export const STYLES = {
  python: { comma: ", ", colon: ": ", text: ascii },
  "compact python": { text: ascii },
  "sorted python": { comma: ", ", colon: ": ", isSorted: true, text: ascii },
  php: { text: (json) => ascii(json).replaceAll("/", "\\/") },
  go: { isSorted: true, text: (json) => json.replace(/[<>&\u2028\u2029]/g, hex4) },
  rails: { text: (json) => json.replace(/[<>&\u2028\u2029]/g, hex4) },
  gson: {
    text: (json) => json.replace(/[<>&='\u2028\u2029]/g, hex4),
    number: (value) => (Number.isInteger(value) ? `${value}.0` : String(value)),
  },
  rust: { isSorted: true },
  ".net": { text: (json) => json.replace(/[<>&'+`\u007f-\uffff]/g, (text) => `\\u${upper(text)}`) },
  node: {},
} satisfies Readonly<Record<string, Style>>;

/** What the server parses and prints again. */
export function respell(text: string, name: keyof typeof STYLES): string {
  return print(JSON.parse(text), STYLES[name]);
}

function print(value: unknown, style: Style): string {
  const { comma = ",", colon = ":", isSorted = false, text = String, number = String } = style;
  if (typeof value === "string") return text(JSON.stringify(value));
  if (typeof value === "number") return number(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => print(one, style)).join(comma)}]`;
  const members = Object.entries(value);
  if (isSorted) members.sort(([text], [other]) => (text < other ? -1 : 1));
  const printed = members.map(
    ([key, one]) => `${text(JSON.stringify(key))}${colon}${print(one, style)}`,
  );
  return `{${printed.join(comma)}}`;
}
