import type { KeyOrder } from "./json-key-orders.ts";

/** A JSON text in parts: each token as written, and the white space before it. */
export interface JsonTokens {
  readonly tokens: readonly string[];
  readonly gaps: readonly string[];
  /** White space before the first and after the last token. */
  readonly lead: string;
  readonly tail: string;
}

/** Deeper texts are not reprinted: indentation would make them grow without bound. */
const MAX_DEPTH = 64;

/** Splits a JSON text into parts; returns `undefined` if it is not JSON or is nested too deeply. */
export function tokenise(text: string): JsonTokens | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens: string[] = [];
  const gaps: string[] = [];
  let depth = 0;
  let at = 0;
  for (;;) {
    const start = at;
    while (text.charCodeAt(at) <= 0x20) at++;
    const gap = text.slice(start, at);
    if (at >= text.length)
      return { tokens, gaps: ["", ...gaps.slice(1)], lead: gaps[0] ?? "", tail: gap };
    const end = endOf(text, at);
    const token = text.slice(at, end);
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    if (depth > MAX_DEPTH) return undefined;
    tokens.push(token);
    gaps.push(gap);
    at = end;
  }
}

/** Written by hand, since a regular expression overflows the stack on a long string. */
function endOf(text: string, start: number): number {
  if (text[start] === '"') {
    let at = start + 1;
    for (let code = text.charCodeAt(at); code !== 0x22; code = text.charCodeAt(++at))
      if (code === 0x5c) at++;
    return at + 1;
  }
  if (isStructure(text.charCodeAt(start))) return start + 1;
  let at = start;
  for (
    let code = text.charCodeAt(at);
    code > 0x20 && !isStructure(code);
    code = text.charCodeAt(at)
  )
    at++;
  return at;
}

/** `{}[]:,` */
function isStructure(code: number): boolean {
  return (
    code === 0x7b ||
    code === 0x7d ||
    code === 0x5b ||
    code === 0x5d ||
    code === 0x3a ||
    code === 0x2c
  );
}

export function sortKeys(tokens: readonly string[], { comparing }: KeyOrder): readonly string[] {
  const ends = endsOf(tokens);
  const sorted: string[] = [];
  const emit = (at: number): number => {
    const token = tokens[at] ?? "";
    const end = ends[at] ?? at;
    if (token === "{") emitMembers(at, end);
    else if (token === "[") for (let next = at; next < end; ) next = emitNext(next);
    sorted.push(tokens[end] ?? "");
    return end + 1;
  };
  /** The current bracket or comma, and the value after it. */
  const emitNext = (at: number): number => {
    sorted.push(tokens[at] ?? "");
    return at + 1 === ends[at] ? at + 1 : emit(at + 1);
  };
  const emitMembers = (start: number, end: number) => {
    const members: { name: string; at: number }[] = [];
    for (let at = start + 1; at < end; at = (ends[at + 2] ?? end) + 2)
      members.push({ name: nameOf(tokens[at] ?? ""), at });
    const compare = comparing(members.map(({ name }) => name));
    members.sort((a, b) => compare(a.name, b.name));
    members.forEach(({ at }, index) => {
      sorted.push(index === 0 ? "{" : ",", tokens[at] ?? "", ":");
      emit(at + 2);
    });
    if (members.length === 0) sorted.push("{");
  };
  emit(0);
  return sorted;
}

/** For each token that begins a value, the position where the value ends. */
export function endsOf(tokens: readonly string[]): Int32Array {
  const ends = new Int32Array(tokens.length).map((_, index) => index);
  const open: number[] = [];
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") open.push(index);
    if (token === "}" || token === "]") ends[open.pop() ?? 0] = index;
  });
  return ends;
}

/** The name that a key's token spells. */
export function nameOf(key: string): string {
  return key.includes("\\") ? JSON.parse(key) : key.slice(1, -1);
}

/** Whether two lists of tokens are equal. */
export function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((token, index) => token === b[index]);
}

/** The parts of one member of the top-level object; `undefined` if there is no such member. */
export function memberOf({ tokens, gaps }: JsonTokens, name: string): JsonTokens | undefined {
  if (tokens[0] !== "{") return undefined;
  const ends = endsOf(tokens);
  const last = tokens.length - 1;
  for (let at = 1; at < last; at = (ends[at + 2] ?? last) + 2) {
    const start = at + 2;
    const end = (ends[start] ?? start) + 1;
    if (nameOf(tokens[at] ?? "") !== name) continue;
    const value = tokens.slice(start, end);
    return { tokens: value, gaps: ["", ...gaps.slice(start + 1, end)], lead: "", tail: "" };
  }
  return undefined;
}
