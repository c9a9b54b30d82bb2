import type { JsonLines } from "../../json/json-lines.ts";

/** The most lines that a search returns. */
export const MAX_FOUND = 10_000;

/** An expression that finds a text in any case; `undefined` for an empty one. */
export function searchPattern(query: string): RegExp | undefined {
  const text = query.trim();
  return text === "" ? undefined : new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&"), "gi");
}

/** The lines whose key or value contains a text, in order, up to `MAX_FOUND`. */
export function findLines(lines: JsonLines, pattern: RegExp | undefined): readonly number[] {
  if (pattern === undefined) return [];
  const found: number[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(lines.text); match !== null; match = pattern.exec(lines.text)) {
    const line = lines.lineAt(match.index);
    if (found.at(-1) !== line) found.push(line);
    if (found.length === MAX_FOUND) break;
  }
  pattern.lastIndex = 0;
  return found;
}
