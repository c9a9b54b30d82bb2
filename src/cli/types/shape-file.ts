import * as z from "zod";
import { formatTimestamp, parseTimestamp } from "../../event/timestamp.ts";
import { knownKeys } from "./data-type.ts";
import {
  COUNTS,
  emptyShape,
  forEachCount,
  inOrder,
  type Learned,
  type LearnedKind,
  type Shape,
} from "./shape.ts";
import type { TextFormat } from "./text-format.ts";

/** Readers refuse files of another version. */
const VERSION = 1;

/** A shape as it stands in a file. What is zero or empty is left out. */
interface WrittenShape
  extends Readonly<Partial<Record<(typeof COUNTS)[number], number | undefined>>> {
  readonly formats?: readonly string[] | undefined;
  /** The strings of an enum that was asked for, and how often each was seen. */
  readonly values?: Readonly<Record<string, number>> | undefined;
  readonly fields?: Readonly<Record<string, WrittenShape>> | undefined;
  /** What was seen under keys that are data. */
  readonly entries?: WrittenShape | undefined;
  readonly items?: WrittenShape | undefined;
}

const count = z.int().positive();
const shapeSchema: z.ZodType<WrittenShape> = z.lazy(() =>
  z.strictObject({
    ...forEachCount(count.optional()),
    formats: z
      .array(z.string().regex(/^(?:date|date-time|email|url|uuid|decimal|id:[a-z]+_)$/))
      .optional(),
    values: z.record(z.string(), count).optional(),
    fields: z.record(z.string(), shapeSchema).optional(),
    entries: shapeSchema.optional(),
    items: shapeSchema.optional(),
  }),
);

const time = z.string().transform((text, context) => {
  const at = parseTimestamp(text);
  if (at !== undefined) return at;
  context.addIssue({
    code: "custom",
    message: "expected a timestamp such as 2026-01-15T09:30:00.000Z",
  });
  return z.NEVER;
});

const fileSchema = z.strictObject({
  shapes: z.literal(VERSION),
  kinds: z.record(
    z.string(),
    z.strictObject({ events: count, first: time, last: time, data: shapeSchema }),
  ),
});

/**
 * Returns what was learned as the text of a shape file: paths, types and counts; no values but
 * those of enums.
 */
export function writeShapes(learned: Learned): string {
  const kinds = inOrder(learned).map(([kind, { events, first, last, shape }]) => [
    kind,
    { events, first: formatTimestamp(first), last: formatTimestamp(last), data: written(shape) },
  ]);
  return `${JSON.stringify({ shapes: VERSION, kinds: Object.fromEntries(kinds) }, undefined, 2)}\n`;
}

/**
 * Returns what a shape file holds. Throws an error with one line that says where it is not a shape
 * file.
 */
export function readShapes(text: string): Learned {
  const read = fileSchema.safeParse(JSON.parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`${issue?.path.join(".") || "the file"}: ${issue?.message}`);
  }
  const kinds = Object.entries(read.data.kinds).map(([kind, { events, first, last, data }]) => {
    const known: LearnedKind = { events, first, last, shape: shapeOf(data) };
    return [kind, known] as const;
  });
  return new Map(kinds);
}

function written(shape: Shape): WrittenShape {
  const { fields, entries } = knownKeys(shape);
  const values = [...(shape.values ?? [])].sort(([text], [other]) => (text < other ? -1 : 1));
  return {
    ...Object.fromEntries(
      COUNTS.filter((name) => shape[name] > 0).map((name) => [name, shape[name]]),
    ),
    ...(shape.formats.length > 0 && { formats: [...shape.formats].sort() }),
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
    ...(fields.size > 0 && {
      fields: Object.fromEntries([...fields].map(([name, field]) => [name, written(field)])),
    }),
    ...(entries !== undefined && { entries: written(entries) }),
    ...(shape.items !== undefined && { items: written(shape.items) }),
  };
}

function shapeOf(written: WrittenShape): Shape {
  const shape = emptyShape();
  for (const name of COUNTS) shape[name] = written[name] ?? 0;
  shape.formats = (written.formats ?? []) as readonly TextFormat[];
  if (written.values !== undefined) shape.values = new Map(Object.entries(written.values));
  for (const [name, field] of Object.entries(written.fields ?? {}))
    shape.fields.set(name, shapeOf(field));
  if (written.entries !== undefined) shape.entries = shapeOf(written.entries);
  if (written.items !== undefined) shape.items = shapeOf(written.items);
  return shape;
}
