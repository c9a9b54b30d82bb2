import { readFileSync } from "node:fs";

/**
 * A body as it was, and as a real program printed it after parsing. See `fixtures/print-all.sh`.
 */
export interface Reprinted {
  readonly sample: string;
  readonly printers: readonly string[];
  readonly original: string;
  readonly text: string;
}

interface Row {
  readonly sample: string;
  readonly printers: readonly string[];
  readonly text: string;
}

const here = new URL("fixtures/", import.meta.url);
const rows: readonly Row[] = JSON.parse(readFileSync(new URL("printed.json", here), "utf8"));

/** What real programs printed, if it differs from the body that they read. */
export const REPRINTED: readonly Reprinted[] = rows.flatMap(({ sample, printers, text }) => {
  const original = readFileSync(new URL(`samples/${sample}.body`, here), "utf8");
  return text === original ? [] : [{ sample, printers, original, text }];
});

const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s,:{}[\]"]+/g;
const sorted = (values: readonly string[]) => [...values].sort().join("\n");

/** What differs between two texts of the same JSON: the codes that a diagnosis has to name. */
export function differences(a: string, b: string): readonly string[] {
  const tokens = [a, b].map((text) => text.match(TOKEN) ?? []);
  const differ = (read: (text: string, tokens: readonly string[]) => string) =>
    read(a, tokens[0] ?? []) !== read(b, tokens[1] ?? []);
  if (!isJson(a) || !isJson(b)) return ["body_not_json"];
  const nulls = differ((_, found) => sorted(found.filter((token) => token === "null")));
  const found: [string, boolean][] = [
    ["json_spacing", differ((text) => [...new Set(gapsOf(text.trimEnd()))].sort().join("|"))],
    ["json_key_order", !nulls && differ((text) => keysOf(JSON.parse(text)).join())],
    [
      "json_escapes",
      !nulls && differ((_, all) => sorted(all.filter((token) => token.startsWith('"')))),
    ],
    ["json_numbers", differ((_, all) => sorted(all.filter((token) => /^[-\d]/.test(token))))],
    ["json_nulls", nulls],
    ["json_empty_objects", differ((text) => String(text.match(/\{\s*\}/g)?.length))],
    ["newline_at_end", differ((text) => String(text.endsWith("\n")))],
  ];
  return found.flatMap(([code, is]) => (is ? [code] : []));
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The white space after each comma, colon and bracket. */
function gapsOf(text: string): readonly string[] {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/\s*[,:{}[\]]\s*/g) ?? [];
}

function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}
