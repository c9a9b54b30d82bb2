import type { JsonTokens } from "./json-tokens.ts";

/** How JSON is spaced when a library prints it. */
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

/** The spacing styles of libraries, most common first. */
export const SPACING = {
  compact: { name: "compact", comma: ",", colon: ":", indent: "" },
  two: { name: "2 spaces", comma: ",", colon: ": ", indent: "  " },
  four: { name: "4 spaces", comma: ",", colon: ": ", indent: "    " },
  tab: { name: "a tab", comma: ",", colon: ": ", indent: "\t" },
  oneLine: { name: "a space after each comma and colon", comma: ", ", colon: ": ", indent: "" },
  jackson: {
    name: "as Jackson prints it",
    comma: ",",
    colon: " : ",
    indent: "  ",
    inlineLists: true,
    rare: true,
  },
  twoOnWindows: {
    name: "2 spaces, with CRLF",
    comma: ",",
    colon: ": ",
    indent: "  ",
    lineBreak: "\r\n",
    rare: true,
  },
  ruby: {
    name: "as Ruby prints it",
    comma: ",",
    colon: ": ",
    indent: "  ",
    openEmpty: true,
    rare: true,
  },
  perl: { name: "as Perl prints it", comma: ",", colon: " : ", indent: "   ", rare: true },
} as const satisfies Readonly<Record<string, Spacing>>;

export const SPACINGS: readonly Spacing[] = Object.values(SPACING);

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
  if (spacing.inlineLists) return printInlineLists(tokens, spacing, limit);
  const { comma, colon, indent, lineBreak: breakAs = "\n", openEmpty } = spacing;
  const breaks: string[] = [];
  const lineBreak = (depth: number) => {
    if (indent === "") return "";
    breaks[depth] ??= `${breakAs}${indent.repeat(depth)}`;
    return breaks[depth];
  };
  let depth = 0;
  let text = "";
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const next = tokens[at + 1];
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") {
        text += openEmpty ? token + (next === "]" ? breakAs : "") + lineBreak(depth) + next : token + next;
        at++;
      } else text += token + lineBreak(++depth);
    } else if (token === "}" || token === "]") text += lineBreak(--depth) + token;
    else if (token === ",") text += comma + lineBreak(depth);
    else if (token === ":") text += colon;
    else text += token;
    if (text.length > limit) return undefined;
  }
  return text;
}

/** Only objects add to the depth; what is in a list follows a space. */
function printInlineLists(
  tokens: readonly string[],
  { comma, colon, indent }: Spacing,
  limit: number,
): string | undefined {
  const open: string[] = [];
  let depth = 0;
  let text = "";
  const gap = () => (open.at(-1) === "{" ? `\n${indent.repeat(depth)}` : " ");
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const next = tokens[at + 1];
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") {
        text += `${token} ${next}`;
        at++;
      } else {
        open.push(token);
        if (token === "{") depth++;
        text += token + gap();
      }
    } else if (token === "}" || token === "]") {
      if (token === "}") depth--;
      text += gap() + token;
      open.pop();
    } else if (token === ",") text += comma + gap();
    else if (token === ":") text += colon;
    else text += token;
    if (text.length > limit) return undefined;
  }
  return text;
}

/** Prints tokens with their original white space. */
export function printAsSpaced(tokens: readonly string[], { gaps }: JsonTokens): string {
  let text = "";
  for (let at = 0; at < tokens.length; at++) text += (gaps[at] ?? "") + tokens[at];
  return text;
}
