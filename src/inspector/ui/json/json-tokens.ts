import type { JsonLines } from "../../json/json-lines.ts";

/** The kind of a JSON token, for its colour; a note is not part of the text. */
export type TokenKind = "key" | "string" | "number" | "word" | "mark" | "note";

export interface JsonToken {
  readonly kind: TokenKind;
  readonly text: string;
}

/** The most characters of a token that are displayed. Copying takes all. */
const MAX_TOKEN = 2000;

/** The tokens of a line without its indentation. A folded line names the number of its members. */
export function tokensOf(lines: JsonLines, line: number, isFolded: boolean): readonly JsonToken[] {
  const key = lines.key(line);
  const tokens: JsonToken[] = key === undefined ? [] : [...shortened("key", key), mark(": ")];
  const own = lines.own(line);
  if (isFolded) {
    const size = lines.size(line);
    const note = `${size.toLocaleString("en")} ${size === 1 ? "item" : "items"}`;
    tokens.push(mark(own), { kind: "note", text: ` ${note} ` }, mark(own === "{" ? "}" : "]"));
  } else if (/^[[{\]}]/.test(own)) tokens.push(mark(own.replaceAll(/\s/g, "")));
  else tokens.push(...shortened(kindOf(own), own));
  if (lines.hasComma(isFolded ? lines.mate(line) : line)) tokens.push(mark(","));
  return tokens;
}

function shortened(kind: TokenKind, text: string): readonly JsonToken[] {
  if (text.length <= MAX_TOKEN) return [{ kind, text }];
  const rest = (text.length - MAX_TOKEN).toLocaleString("en");
  return [
    { kind, text: text.slice(0, MAX_TOKEN) },
    { kind: "note", text: ` … ${rest} more characters` },
  ];
}

function mark(text: string): JsonToken {
  return { kind: "mark", text };
}

function kindOf(value: string): TokenKind {
  if (value.startsWith('"')) return "string";
  return /^[tfn]/.test(value) ? "word" : "number";
}
