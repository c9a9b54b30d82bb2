/**
 * Events that were received come in. Schemas, types and what has begun to differ go out. No text
 * or number of an event is in what is written.
 */

import { formatsOf, looksLikeName, type TextFormat } from "./text-format.ts";

/**
 * What was seen at one place of the data of events: how often which type. Everything here is a
 * count or a set that only grows or only shrinks, so that the order of the events does not matter,
 * and shapes of parts can be merged.
 */
export interface Shape extends Counts {
  /** The formats that all strings so far have. */
  formats: readonly TextFormat[];
  /**
   * The strings themselves, only at places where they were asked for; absent if there were too many
   * to be an enum.
   */
  values?: Map<string, number> | undefined;
  fields: Map<string, Shape>;
  /** Values under keys that do not look like names, taken together. */
  entries?: Shape | undefined;
  /** There were too many names, so all keys are taken together in `entries`. */
  isMap?: true | undefined;
  items?: Shape | undefined;
}

export const COUNTS = [
  "nulls",
  "booleans",
  "numbers",
  /** Of the numbers, those that are not integers that JavaScript holds exactly. */
  "fractions",
  "strings",
  "objects",
  "arrays",
  /** Of the arrays, those without items. */
  "emptyArrays",
  /** Objects and arrays too deep to look into, and numbers that a double cannot hold. */
  "deep",
] as const;

type Counts = Record<(typeof COUNTS)[number], number>;

/** Returns an object with the same value for each count. */
export function forEachCount<Value>(value: Value): Record<keyof Counts, Value> {
  return Object.fromEntries(COUNTS.map((name) => [name, value])) as Record<keyof Counts, Value>;
}

/**
 * Objects and arrays below this many others are counted only. Deeper data is not what a person
 * wrote down.
 */
const DEEPEST = 24;
/** An object with more names of fields than this, over all events, is a map: its keys are data. */
const MOST_FIELDS = 200;
/** More strings than this are no enum. */
const MOST_VALUES = 40;

/** Whether the strings themselves are kept that stand at a path, as in `data.lines[].type`. */
export type Watched = (path: string) => boolean;

const NOTHING_WATCHED: Watched = () => false;

export function emptyShape(): Shape {
  return { ...forEachCount(0), formats: [], fields: new Map() };
}

/** The number of values seen at a place. */
export function countOf(shape: Shape): number {
  const { nulls, booleans, numbers, strings, objects, arrays, deep } = shape;
  return nulls + booleans + numbers + strings + objects + arrays + deep;
}

/** Adds a value, as `JSON.parse` returns it, to a shape. */
export function observe(
  shape: Shape,
  value: unknown,
  watched: Watched = NOTHING_WATCHED,
  path = "data",
  depth = 0,
): void {
  if (value === null) shape.nulls++;
  else if (typeof value === "boolean") shape.booleans++;
  else if (typeof value === "number" && Number.isFinite(value)) {
    shape.numbers++;
    if (!Number.isSafeInteger(value)) shape.fractions++;
  } else if (typeof value === "string") seeString(shape, value, watched, path);
  else if (depth >= DEEPEST || typeof value === "number") shape.deep++;
  else if (Array.isArray(value)) seeArray(shape, value, watched, path, depth);
  else seeObject(shape, value as object, watched, path, depth);
}

function seeString(shape: Shape, text: string, watched: Watched, path: string): void {
  if (shape.strings === 0) {
    shape.formats = formatsOf(text);
    if (watched(path)) shape.values = new Map();
  } else if (shape.formats.length > 0) shape.formats = common(shape.formats, formatsOf(text));
  shape.strings++;
  if (shape.values !== undefined) {
    shape.values.set(text, (shape.values.get(text) ?? 0) + 1);
    limitValues(shape);
  }
}

function seeArray(
  shape: Shape,
  list: readonly unknown[],
  watched: Watched,
  path: string,
  depth: number,
) {
  shape.arrays++;
  if (list.length === 0) {
    shape.emptyArrays++;
    return;
  }
  shape.items ??= emptyShape();
  for (const item of list) observe(shape.items, item, watched, `${path}[]`, depth + 1);
}

function seeObject(
  shape: Shape,
  object: object,
  watched: Watched,
  path: string,
  depth: number,
): void {
  shape.objects++;
  for (const [key, value] of Object.entries(object)) {
    if (shape.isMap === true || !looksLikeName(key)) {
      shape.entries ??= emptyShape();
      observe(
        shape.entries,
        value,
        shape.isMap === true ? NOTHING_WATCHED : watched,
        `${path}.*`,
        depth + 1,
      );
      continue;
    }
    let field = shape.fields.get(key);
    if (field === undefined) {
      field = emptyShape();
      shape.fields.set(key, field);
    }
    observe(field, value, watched, `${path}.${key}`, depth + 1);
    limitFields(shape);
  }
}

/** Adds what another shape saw at the same place. */
export function addShape(shape: Shape, other: Shape): void {
  const values = commonValues(shape, other);
  shape.formats =
    shape.strings === 0 || other.strings === 0
      ? [...shape.formats, ...other.formats]
      : common(shape.formats, other.formats);
  for (const count of COUNTS) shape[count] += other[count];
  shape.values = values;
  limitValues(shape);
  if (other.items !== undefined) shape.items = sum(shape.items, other.items);
  if (other.entries !== undefined) shape.entries = sum(shape.entries, other.entries);
  if (other.isMap === true) shape.isMap = true;
  for (const [name, field] of other.fields)
    shape.fields.set(name, sum(shape.fields.get(name), field));
  limitFields(shape);
}

function sum(a: Shape | undefined, b: Shape): Shape {
  const both = a ?? emptyShape();
  addShape(both, b);
  return both;
}

function common(some: readonly TextFormat[], others: readonly TextFormat[]): readonly TextFormat[] {
  return some.every((format) => others.includes(format))
    ? some
    : some.filter((format) => others.includes(format));
}

/** The strings of both; none if those of one were not kept. */
function commonValues(a: Shape, b: Shape): Map<string, number> | undefined {
  if (a.strings === 0) return b.values === undefined ? undefined : new Map(b.values);
  if (b.strings === 0) return a.values;
  if (a.values === undefined || b.values === undefined) return undefined;
  const both = new Map(a.values);
  for (const [text, times] of b.values) both.set(text, (both.get(text) ?? 0) + times);
  return both;
}

function limitValues(shape: Shape): void {
  if (shape.values !== undefined && shape.values.size > MOST_VALUES) shape.values = undefined;
}

/** Takes all fields together if there are too many of them, or were elsewhere. */
function limitFields(shape: Shape): void {
  if (shape.fields.size <= MOST_FIELDS && shape.isMap !== true) return;
  shape.entries ??= emptyShape();
  for (const field of shape.fields.values()) addShape(shape.entries, field);
  shape.fields.clear();
  shape.isMap = true;
  forgetValues(shape.entries);
}

/** In a map, the same strings would be kept or not by the order in which events come. */
function forgetValues(shape: Shape): void {
  shape.values = undefined;
  for (const inner of [...shape.fields.values(), shape.items, shape.entries])
    if (inner !== undefined) forgetValues(inner);
}

export interface LearnedKind {
  events: number;
  /** The times of the earliest and the latest of them, in milliseconds since 1970. */
  first: number;
  last: number;
  readonly shape: Shape;
}

export type Learned = Map<string, LearnedKind>;

/** The kinds in order of their names. */
export function inOrder(learned: Learned): readonly (readonly [kind: string, LearnedKind])[] {
  return [...learned].sort(([text], [other]) => (text < other ? -1 : 1));
}

/** Adds an event: its kind, its `data`, and its time in milliseconds since 1970. */
export function learn(
  learned: Learned,
  kind: string,
  data: unknown,
  at: number,
  watched?: Watched,
): void {
  let known = learned.get(kind);
  if (known === undefined) {
    known = { events: 0, first: at, last: at, shape: emptyShape() };
    learned.set(kind, known);
  }
  known.events++;
  known.first = Math.min(known.first, at);
  known.last = Math.max(known.last, at);
  observe(known.shape, data, watched);
}
