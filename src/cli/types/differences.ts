import type { Difference } from "../../event/difference.ts";
import type { DataType, Place } from "./data-type.ts";
import { formatCheck, looksLikeName } from "./text-format.ts";

type Compare = (value: unknown, found: Difference[]) => void;

const ANYTHING: Compare = () => {};

/**
 * Returns a function that says how data differs from what was seen before; it returns nothing if it
 * fits. Made once and called for each event, so all that depends on the place alone is done here.
 */
export function comparerOf(place: Place): (data: unknown) => readonly Difference[] {
  const compare = compareAt(place, "data");
  return (data) => {
    const found: Difference[] = [];
    compare(data, found);
    return found;
  };
}

function compareAt(place: Place, path: string): Compare {
  if (place.types.length === 0) return ANYTHING;
  const expected = wordsOf(place);
  const members = new Map(
    place.types.map((type) => [jsonType(type), compareMembers(type, path, expected)]),
  );
  return (value, found) => {
    if (value === null && place.isNullable) return;
    const got = typeOfValue(value);
    const compare = members.get(got);
    if (compare === undefined) found.push({ path, what: "type changed", expected, got });
    else compare(value, found);
  };
}

function compareMembers(type: DataType, path: string, expected: string): Compare {
  if (type.type === "string") return compareString(type, path, expected);
  if (type.type === "integer")
    return (value, found) => {
      if (!Number.isSafeInteger(value))
        found.push({ path, what: "type changed", expected, got: "number" });
    };
  if (type.type === "array") {
    const compare = compareAt(type.items, `${path}[]`);
    return (list, found) => {
      for (const item of list as readonly unknown[]) compare(item, found);
    };
  }
  if (type.type === "map") {
    const compare = compareAt(type.values, `${path}.*`);
    return (object, found) => {
      for (const value of Object.values(object as object)) compare(value, found);
    };
  }
  return type.type === "object" ? compareObject(type, path) : ANYTHING;
}

function compareString(
  { format, values }: DataType & { type: "string" },
  path: string,
  expected: string,
): Compare {
  if (values !== undefined) {
    const known = new Set<unknown>(values);
    return (text, found) => {
      if (!known.has(text))
        found.push({ path, what: "new value", expected, got: "another string" });
    };
  }
  if (format === undefined) return ANYTHING;
  const hasFormat = formatCheck(format);
  return (text, found) => {
    if (!hasFormat(text as string))
      found.push({ path, what: "type changed", expected, got: "another string" });
  };
}

function compareObject({ fields, others }: DataType & { type: "object" }, path: string): Compare {
  const known = new Map(
    fields.map(({ name, place }) => [name, compareAt(place, `${path}.${name}`)]),
  );
  const compareOther = others === undefined ? undefined : compareAt(others, `${path}.*`);
  const required = fields.filter(({ isOptional }) => !isOptional);
  const gone = new Map(
    required.map(({ name, place }) => [name, goneField(`${path}.${name}`, place)]),
  );
  return (value, found) => {
    const object = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(object)) {
      const compare = known.get(name);
      if (compare !== undefined) compare(object[name], found);
      else if (compareOther !== undefined && !looksLikeName(name))
        compareOther(object[name], found);
      else
        found.push(
          newField(`${path}.${looksLikeName(name) ? name : "*"}`, typeOfValue(object[name])),
        ); // no key that looks like data
    }
    for (const [name, difference] of gone) if (!Object.hasOwn(object, name)) found.push(difference);
  };
}

const NO_FIELD = "no such field";

export function newField(path: string, got: string): Difference {
  return { path, what: "new field", expected: NO_FIELD, got };
}

export function goneField(path: string, place: Place): Difference {
  return { path, what: "field gone", expected: wordsOf(place), got: NO_FIELD };
}

/** The types at a place in words, such as `string (date) or null`. */
export function wordsOf({ types, isNullable }: Place): string {
  if (types.length === 0) return "anything";
  return [...types.map(nameOf), ...(isNullable ? ["null"] : [])].join(" or ");
}

function nameOf(type: DataType): string {
  if (type.type !== "string") return type.type === "integer" ? "integer" : jsonType(type);
  if (type.values !== undefined) return `one of ${type.values.length} strings`;
  if (type.format === undefined) return "string";
  return type.format.startsWith("id:")
    ? `string (${type.format.slice("id:".length)}…)`
    : `string (${type.format})`;
}

export function jsonType({ type }: DataType): string {
  if (type === "integer") return "number";
  return type === "map" ? "object" : type;
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
