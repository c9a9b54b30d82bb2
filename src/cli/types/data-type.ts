import { addShape, countOf, emptyShape, type Shape } from "./shape.ts";
import type { TextFormat } from "./text-format.ts";

export type DataType =
  | { readonly type: "boolean" }
  | { readonly type: "integer" }
  | { readonly type: "number" }
  | { readonly type: "string"; readonly format?: TextFormat; readonly values?: readonly string[] }
  | { readonly type: "array"; readonly items: Place }
  | { readonly type: "map"; readonly values: Place }
  | {
      readonly type: "object";
      readonly fields: readonly Field[];
      /** What was seen under keys that are data. */
      readonly others?: Place;
    };

export interface Place {
  /**
   * The types seen, at most three. None means anything: too many types, or nothing but `null`, was
   * seen.
   */
  readonly types: readonly DataType[];
  readonly isNullable: boolean;
}

export interface Field {
  readonly name: string;
  readonly place: Place;
  readonly isOptional: boolean;
}

/** Unions of more types than this say nothing to a reader. */
const MOST_TYPES = 3;

/** The first that all strings had; those with more meaning come first. */
const BY_MEANING = ["date-time", "date", "uuid", "email", "url", "id:", "decimal"];

export function placeOf(shape: Shape): Place {
  const types: DataType[] = [];
  if (shape.strings > 0) types.push(stringType(shape));
  if (shape.numbers > 0) types.push({ type: shape.fractions > 0 ? "number" : "integer" });
  if (shape.booleans > 0) types.push({ type: "boolean" });
  if (shape.objects > 0) types.push(objectType(shape));
  if (shape.arrays > 0) types.push({ type: "array", items: placeOf(shape.items ?? emptyShape()) });
  return {
    types: shape.deep > 0 || types.length > MOST_TYPES ? [] : types,
    isNullable: shape.nulls > 0,
  };
}

function stringType({ formats, values }: Shape): DataType {
  if (values !== undefined) return { type: "string", values: [...values.keys()].sort() };
  const format = BY_MEANING.flatMap((start) =>
    formats.filter((format) => format.startsWith(start)),
  )[0];
  return format === undefined ? { type: "string" } : { type: "string", format };
}

function objectType(shape: Shape): DataType {
  const { fields, entries } = knownKeys(shape);
  const others = entries === undefined ? undefined : placeOf(entries);
  if (others !== undefined && fields.size === 0) return { type: "map", values: others };
  return {
    type: "object",
    fields: [...fields].map(([name, field]) => ({
      name,
      place: placeOf(field),
      isOptional: countOf(field) < shape.objects,
    })),
    ...(others !== undefined && { others }),
  };
}

/** What may be told of the keys of an object. */
export interface KnownKeys {
  /** The fields, in order of their names, but `id` before all others. */
  readonly fields: ReadonlyMap<string, Shape>;
  /** What was seen under keys that are data, taken together. */
  readonly entries?: Shape | undefined;
  /**
   * Fields that are left out, since they were seen only once in several objects: their names may be
   * data.
   */
  readonly leftOut: number;
}

/**
 * Returns which of an object's keys may be shown. A key that was seen in only one of several
 * objects may be a person's name, so it is left out. If all keys are like that, the object is a
 * map.
 */
export function knownKeys({ objects, fields, entries }: Shape): KnownKeys {
  const all = [...fields].sort(([text], [other]) =>
    text === "id" || (text < other && other !== "id") ? -1 : 1,
  );
  const known = objects < 2 ? all : all.filter(([, field]) => countOf(field) > 1);
  const once = all.length - known.length;
  if (known.length > 0 || (once < 2 && entries === undefined))
    return { fields: new Map(known), entries, leftOut: once };
  const map = emptyShape();
  if (entries !== undefined) addShape(map, entries);
  for (const [, field] of all) addShape(map, field);
  return { fields: new Map(), entries: map, leftOut: 0 };
}
