import type { EntryDetail } from "../../api.ts";
import type { JsonLines } from "../../json/json-lines.ts";

export const MAX_FOUND = 10_000;

/** The most characters of a search that count: a longer expression may be too large. */
const LONGEST_QUERY = 1000;

/** An expression that finds a text in any case; `undefined` for an empty one. */
export function searchPattern(query: string): RegExp | undefined {
  const text = query.trim().slice(0, LONGEST_QUERY);
  return text === ""
    ? undefined
    : new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&"), "gi");
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

/** In a body with more lines, no problem is marked: each line's path would be read. */
const MAX_LINES = 50_000;

/**
 * The problems of `data` by the line of their field; those of a missing field at the nearest value
 * around it.
 */
export function findProblems(lines: JsonLines, problems: EntryDetail["problems"]) {
  const found = new Map<number, readonly string[]>();
  if (problems.length === 0 || lines.count > MAX_LINES) return found;
  const linesByPath = new Map<string, number>();
  for (let line = 0; line < lines.count; line++) {
    if (lines.kind(line) !== "close") linesByPath.set(lines.path(line), line);
  }
  for (const { field, message } of problems) {
    const line = linesByPath.get(field);
    const around = line ?? nearest(field, linesByPath);
    if (around === undefined) continue;
    const note = line === undefined ? `${field} ${message}` : message;
    found.set(around, [...(found.get(around) ?? []), note]);
  }
  return found;
}

/**
 * The line of a field, or of the nearest value around it if it is missing; `undefined` in a body
 * that is too long.
 */
export function lineOf(lines: JsonLines, field: string): number | undefined {
  const [line] = findProblems(lines, [{ field, message: "" }]).keys();
  return line;
}

function nearest(field: string, linesByPath: ReadonlyMap<string, number>): number | undefined {
  const end = field.lastIndexOf(field.endsWith("]") ? "[" : ".");
  if (end <= 0) return undefined;
  const shorter = field.slice(0, end);
  return linesByPath.get(shorter) ?? nearest(shorter, linesByPath);
}
