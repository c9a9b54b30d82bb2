import type { JsonTokens } from "./json-tokens.ts";

export interface Spacing {
  readonly name: string;
  readonly comma: string;
  readonly colon: string;
  readonly indent: string;
  /** The line break, if there is an indent. Default: LF. */
  readonly lineBreak?: string;
  /** Lists in one line, and a space inside brackets, even empty ones. Default: no. */
  readonly inlineLists?: boolean;
  /** Line breaks inside empty lists and objects. Default: no. */
  readonly openEmpty?: boolean;
  /** Less common: tried with strings and numbers as they are. Default: no. */
  readonly rare?: boolean;
}

const TWO = { comma: ",", colon: ": ", indent: "  " } as const;

/** The spacing styles of libraries, most common first. */
export const SPACING = {
  compact: { name: "compact", comma: ",", colon: ":", indent: "" },
  two: { ...TWO, name: "2 spaces" },
  four: { ...TWO, name: "4 spaces", indent: "    " },
  tab: { ...TWO, name: "a tab", indent: "\t" },
  oneLine: { name: "a space after each comma and colon", comma: ", ", colon: ": ", indent: "" },
  jackson: { ...TWO, name: "as Jackson prints it", colon: " : ", inlineLists: true, rare: true },
  twoOnWindows: { ...TWO, name: "2 spaces, with CRLF", lineBreak: "\r\n", rare: true },
  ruby: { ...TWO, name: "as Ruby prints it", openEmpty: true, rare: true },
  perl: { ...TWO, name: "as Perl prints it", colon: " : ", indent: "   ", rare: true },
} as const satisfies Readonly<Record<string, Spacing>>;

/** Indents and separators that an option sets, and no library has by itself. */
const SET_BY_OPTION: readonly Spacing[] = [
  { name: "a space after each colon", comma: ",", colon: ": ", indent: "", rare: true },
  { name: "a space after each comma", comma: ", ", colon: ":", indent: "", rare: true },
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, "a tab"].flatMap((size) =>
    [": ", ":"].flatMap((colon): Spacing[] => {
      const isUsual = colon === ": " && [2, 4, "a tab"].includes(size);
      if (isUsual) return [];
      const indent = typeof size === "number" ? " ".repeat(size) : "\t";
      const by =
        size === 0
          ? "line breaks without an indent"
          : `an indent of ${typeof size === "number" ? size : "a tab"}`;
      const name = colon === ":" ? `${by}, and no space after colons` : by;
      return [{ name, comma: ",", colon, indent, lineBreak: "\n", rare: true }];
    }),
  ),
];

export const SPACINGS: readonly Spacing[] = [...Object.values(SPACING), ...SET_BY_OPTION];

/** The tokens at the start that tell most styles apart. */
const FIRST = 100;

/** The style in which a JSON text is printed; `undefined` if it is no library's. */
export function spacingOf(json: JsonTokens): Spacing | undefined {
  const { tokens } = json;
  const text = printAsSpaced(tokens, json);
  return SPACINGS.find((spacing) => {
    const start = printSpaced(tokens.slice(0, FIRST), spacing, text.length) ?? "";
    // What follows the last of them is not known there.
    if (!text.startsWith(start.slice(0, start.length / 2))) return false;
    return printSpaced(tokens, spacing, text.length) === text;
  });
}

/** Prints tokens; returns `undefined` if the text would exceed the limit, as indentation can make it. */
export function printSpaced(tokens: readonly string[], spacing: Spacing, limit: number): string | undefined {
  const { comma, colon, indent, lineBreak, inlineLists = false, openEmpty } = spacing;
  const breakAs = lineBreak ?? "\n";
  const breaks: string[] = [];
  const open: string[] = [];
  let depth = 0;
  let text = "";
  const gap = () => {
    if (indent === "" && lineBreak === undefined) return "";
    if (inlineLists && open.at(-1) === "[") return " ";
    breaks[depth] ??= `${breakAs}${indent.repeat(depth)}`;
    return breaks[depth];
  };
  const insideEmpty = (close: string) => {
    if (inlineLists) return " ";
    return openEmpty ? (close === "]" ? breakAs : "") + gap() : "";
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const next = tokens[at + 1];
    // A list in one line adds nothing to the depth.
    const deeper = inlineLists && (token === "[" || token === "]") ? 0 : 1;
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") {
        text += token + insideEmpty(next) + next;
        at++;
      } else {
        open.push(token);
        depth += deeper;
        text += token + gap();
      }
    } else if (token === "}" || token === "]") {
      depth -= deeper;
      text += gap() + token;
      open.pop();
    } else if (token === ",") text += comma + gap();
    else if (token === ":") text += colon;
    else text += token;
    if (text.length > limit) return undefined;
  }
  return text;
}

export function printAsSpaced(tokens: readonly string[], { gaps }: JsonTokens): string {
  let text = "";
  for (let at = 0; at < tokens.length; at++) text += (gaps[at] ?? "") + tokens[at];
  return text;
}
