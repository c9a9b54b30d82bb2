import type { JsonTokens } from "./json-tokens.ts";

export interface Spacing {
  readonly name: string;
  readonly comma: string;
  readonly colon: string;
  readonly indent: string;
  /** Lists in one line, and a space inside brackets, even empty ones. Default: no. */
  readonly inlineLists?: boolean;
}

const TWO_SPACES_BASE = { comma: ",", colon: ": ", indent: "  " } as const;

/** The spacing styles of libraries and of their usual options, most common first. */
export const SPACING = {
  compact: { name: "compact", comma: ",", colon: ":", indent: "" },
  two: { ...TWO_SPACES_BASE, name: "2 spaces" },
  four: { ...TWO_SPACES_BASE, name: "4 spaces", indent: "    " },
  tab: { ...TWO_SPACES_BASE, name: "a tab", indent: "\t" },
  oneLine: { name: "a space after each comma and colon", comma: ", ", colon: ": ", indent: "" },
  jackson: { ...TWO_SPACES_BASE, name: "as Jackson prints it", colon: " : ", inlineLists: true },
  one: { ...TWO_SPACES_BASE, name: "1 space", indent: " " },
} as const satisfies Readonly<Record<string, Spacing>>;

export const SPACING_LIST: readonly Spacing[] = Object.values(SPACING);

/** The tokens at the start that tell most styles apart. */
const SAMPLE_TOKENS = 100;

/** The style in which a JSON text is printed; `undefined` if it is no library's. */
export function spacingOf(json: JsonTokens): Spacing | undefined {
  const { tokens } = json;
  const text = printWithOriginalSpacing(tokens, json);
  return SPACING_LIST.find((spacing) => {
    const start = printSpaced(tokens.slice(0, SAMPLE_TOKENS), spacing, text.length) ?? "";
    // The last of these tokens has nothing after it here, so what follows it may differ: compare
    // half.
    if (!text.startsWith(start.slice(0, start.length / 2))) return false;
    return printSpaced(tokens, spacing, text.length) === text;
  });
}

/**
 * Prints tokens; returns `undefined` if the text would exceed the limit, as indentation can make
 * it.
 */
export function printSpaced(
  tokens: readonly string[],
  spacing: Spacing,
  limit: number,
): string | undefined {
  const { comma, colon, indent, inlineLists = false } = spacing;
  const breaks: string[] = [];
  const open: string[] = [];
  let depth = 0;
  let text = "";
  const gap = () => {
    if (indent === "") return "";
    if (inlineLists && open.at(-1) === "[") return " ";
    breaks[depth] ??= `\n${indent.repeat(depth)}`;
    return breaks[depth];
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const next = tokens[at + 1];
    // A list in one line adds nothing to the depth.
    const deeper = inlineLists && (token === "[" || token === "]") ? 0 : 1;
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") {
        text += token + (inlineLists ? " " : "") + next;
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

export function printWithOriginalSpacing(tokens: readonly string[], { gaps }: JsonTokens): string {
  let text = "";
  for (let at = 0; at < tokens.length; at++) text += (gaps[at] ?? "") + tokens[at];
  return text;
}
