/** The kind of a JSON token, for its colour. */
export type TokenKind = "key" | "string" | "number" | "word" | "mark";

/** A token of JSON text. */
export interface JsonToken {
  readonly kind: TokenKind;
  readonly text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

/**
 * Indents a JSON text. Only white space changes: tokens keep their spelling, including large numbers and escapes. Returns
 * `undefined` if the text is not JSON.
 */
export function prettyJson(text: string): readonly (readonly JsonToken[])[] | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = text.match(TOKEN) ?? [];
  const lines: JsonToken[][] = [[]];
  let depth = 0;
  const line = () => lines.at(-1) ?? [];
  const breakLine = () => lines.push([{ kind: "mark", text: "  ".repeat(depth) }]);
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      line().push({ kind: "mark", text: token });
      if (next === "}" || next === "]") continue;
      depth++;
      breakLine();
    } else if (token === "}" || token === "]") {
      const before = tokens[index - 1];
      if (before !== "{" && before !== "[") {
        depth--;
        breakLine();
      }
      line().push({ kind: "mark", text: token });
    } else if (token === ",") {
      line().push({ kind: "mark", text: token });
      breakLine();
    } else if (token === ":") line().push({ kind: "mark", text: ": " });
    else line().push({ kind: kindOf(token, next), text: token });
  }
  return lines;
}

/** The lines of a text for a comparison: indented if it is JSON. */
export function comparableLines(text: string): readonly string[] {
  const pretty = prettyJson(text);
  if (pretty === undefined) return text.split("\n");
  return pretty.map((tokens) => tokens.map((token) => token.text).join(""));
}

function kindOf(token: string, next: string | undefined): TokenKind {
  if (token.startsWith('"')) return next === ":" ? "key" : "string";
  return /^-?\d/.test(token) ? "number" : "word";
}
