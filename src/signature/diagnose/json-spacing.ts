import type { JsonTokens } from "./json-tokens.ts";

/** How JSON is spaced when a library prints it. */
export interface Spacing {
  readonly name: string;
  readonly comma: string;
  readonly colon: string;
  readonly indent: string;
  /** Lists in one line, and a space inside brackets, even empty ones. Default: no. */
  readonly inlineLists?: boolean;
  /** Less common: tried with strings and numbers as they are. Default: no. */
  readonly rare?: boolean;
}

const STYLES = [
  { name: "compact", comma: ",", colon: ":", indent: "" },
  { name: "2 spaces", comma: ",", colon: ": ", indent: "  " },
  { name: "4 spaces", comma: ",", colon: ": ", indent: "    " },
  { name: "a tab", comma: ",", colon: ": ", indent: "\t" },
  { name: "a space after each comma and colon", comma: ", ", colon: ": ", indent: "" },
  { name: "as Jackson prints it", comma: ",", colon: " : ", indent: "  ", inlineLists: true, rare: true },
] as const satisfies readonly Spacing[];

/** The spacing styles of libraries, most common first. */
export const SPACINGS: readonly Spacing[] = STYLES;

/** The name of one of these styles. */
export type SpacingName = (typeof STYLES)[number]["name"];

/** Prints tokens; returns `undefined` if the text would exceed the limit, as indentation can make it. */
export function printSpaced(tokens: readonly string[], spacing: Spacing, limit: number): string | undefined {
  if (spacing.inlineLists) return printInlineLists(tokens, spacing, limit);
  const { comma, colon, indent } = spacing;
  const breaks: string[] = [];
  const lineBreak = (depth: number) => {
    if (indent === "") return "";
    breaks[depth] ??= `\n${indent.repeat(depth)}`;
    return breaks[depth];
  };
  let depth = 0;
  let text = "";
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const next = tokens[at + 1];
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") {
        text += token + next;
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
