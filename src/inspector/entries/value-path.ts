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
 * The string, number or boolean at a path, as text; `undefined` if there is none. The JSON may be cut anywhere: it is read
 * up to the value only, and nothing is built, so that a list can show a value of each of many bodies.
 */
export function valueAt(json: string, path: ValuePath): string | undefined {
  const start = findValue(json, 0, path);
  if (start === undefined) return undefined;
  const end = skipValue(json, start);
  if (end === undefined || json[start] === "{" || json[start] === "[") return undefined;
  const text = json.slice(start, end);
  return text.startsWith('"') ? readString(text) : /^(?:-?\d|true$|false$)/.test(text) ? text : undefined;
}

/** Where the value at a path starts. Of a key that is there twice, the first counts. */
function findValue(json: string, from: number, [step, ...rest]: ValuePath): number | undefined {
  const start = skipSpace(json, from);
  if (step === undefined) return start < json.length ? start : undefined;
  const isObject = json[start] === "{";
  if (isObject !== (typeof step === "string") || (!isObject && json[start] !== "[")) return undefined;
  let at = skipSpace(json, start + 1);
  for (let index = 0; at < json.length && json[at] !== "}" && json[at] !== "]"; index++) {
    let name: string | number | undefined = index;
    if (isObject) {
      const end = skipValue(json, at);
      name = end === undefined ? undefined : readString(json.slice(at, end));
      at = skipSpace(json, end ?? json.length);
      if (json[at] !== ":") return undefined;
      at++;
    }
    if (name === step) return findValue(json, at, rest);
    const end = skipValue(json, skipSpace(json, at));
    if (end === undefined) return undefined;
    at = skipSpace(json, end);
    if (json[at] === ",") at = skipSpace(json, at + 1);
  }
  return undefined;
}

/** The end of the value that starts here; `undefined` if the text is cut before, or there is none. */
function skipValue(json: string, start: number): number | undefined {
  const first = json[start];
  if (first === '"') return skipString(json, start);
  if (first !== "{" && first !== "[") {
    const end = json.slice(start, start + 100).search(/[\s,}\]]/);
    return end <= 0 ? undefined : start + end;
  }
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = (skipString(json, at) ?? json.length) - 1;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

function skipString(json: string, start: number): number | undefined {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at + 1;
  }
  return undefined;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && " \t\n\r".includes(json[at] ?? "")) at++;
  return at;
}

function readString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
