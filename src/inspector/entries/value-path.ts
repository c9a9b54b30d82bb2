import { tryOr } from "../../base/try-or.ts";
import type { JsonLines } from "../json/json-lines.ts";
import { JsonReader } from "../json/json-reader.ts";

/** A path to a value of JSON: keys, and indexes of arrays. */
export type ValuePath = readonly (string | number)[];

/** The resource of an event, unless the user chooses another value. */
export const RESOURCE_PATH: ValuePath = ["data", "id"];

const MAX_STEPS = 20;
const STEP = /\.?([^.[\]]+)|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Reads a path such as `data.items[3].id` or `data["a.b"]`; `undefined` if it is not one. */
export function parsePath(text: string): ValuePath | undefined {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const [, key, index, quoted] = STEP.exec(text) ?? [];
    if (key !== undefined) steps.push(key);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(readString(`"${quoted}"`) ?? "");
    else return undefined;
  }
  return steps.length === 0 || steps.length > MAX_STEPS ? undefined : steps;
}

/**
 * The string, number or boolean at a path, as text; `undefined` if there is none. The JSON may be
 * cut anywhere.
 */
export function valueAt(json: string, path: ValuePath): string | undefined {
  const reader = new JsonReader(json);
  reader.read(json.length); // as far as it is JSON
  const { lines } = reader;
  const line = path.reduce<number | undefined>((parent, step) => childOf(lines, parent, step), 0);
  const text = line === undefined ? "" : lines.own(line);
  if (text.startsWith('"')) return readString(text);
  const isCut = json.endsWith(text);
  return !isCut && /^(?:-?\d|true$|false$)/.test(text) ? text : undefined;
}

/** The line of a member or item. Of a key that is there twice, the first counts. */
function childOf(
  lines: JsonLines,
  parent: number | undefined,
  step: string | number,
): number | undefined {
  if (parent === undefined) return undefined;
  for (let line = parent + 1; line < lines.count; line++) {
    if (lines.parent(line) !== parent || lines.kind(line) === "close") continue;
    const key = lines.key(line);
    if ((key === undefined ? lines.position(line) : readString(key)) === step) return line;
  }
  return undefined;
}

function readString(text: string): string | undefined {
  return tryOr(() => {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  }, undefined);
}
