/** How a language shows an object that it is given in place of a text. */
interface Style {
  /** Before, between and after the members, and between name and value. */
  readonly marks: readonly [open: string, comma: string, close: string, colon: string];
  readonly quote: string;
  readonly isSorted?: boolean;
}

const STYLES: readonly (readonly [call: string, Style])[] = [
  ["Python's `str()` of a dict", { marks: ["{", ", ", "}", ": "], quote: "'" }],
  ["Ruby's `to_s` of a hash", { marks: ["{", ", ", "}", " => "], quote: '"' }],
  ["Ruby's `to_s` of a hash", { marks: ["{", ", ", "}", "=>"], quote: '"' }],
  ["Java's `toString()` of a map", { marks: ["{", ", ", "}", "="], quote: "" }],
  ["Go's `fmt.Sprint` of a map", { marks: ["map[", " ", "]", ":"], quote: "", isSorted: true }],
];

/** An object as languages show it, with the call that does so. Its texts must not need escapes. */
export function objectTexts(value: object): readonly (readonly [call: string, text: string])[] {
  return [
    ...STYLES.map(([call, style]) => [call, show(value, style)] as const),
    ["PHP's text of an array", "Array"],
  ];
}

function show(value: unknown, style: Style): string {
  const { quote, isSorted = false } = style;
  const [open, comma, close, colon] = style.marks;
  if (typeof value === "string") return quote + value + quote;
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value);
  if (isSorted) members.sort(([one], [other]) => (one < other ? -1 : 1));
  const shown = members.map(([name, one]) => `${quote}${name}${quote}${colon}${show(one, style)}`);
  return open + shown.join(comma) + close;
}
