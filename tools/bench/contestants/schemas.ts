import * as z from "zod";
import { eventKinds } from "../../../src/entries/index.ts";
import { sampleEvent } from "../../../src/entries/testing.ts";

/**
 * A schema for each kind, as `hookporter types` writes it: an open object whose known fields have a
 * type.
 */
export const SCHEMAS = Object.fromEntries(
  eventKinds.map((kind) => {
    const fields = Object.entries(sampleEvent(kind).data).map(([name, value]) => [
      name,
      fieldOf(value),
    ]);
    return [kind, z.looseObject(Object.fromEntries(fields))];
  }),
);

function fieldOf(value: unknown): z.ZodType {
  if (typeof value === "string") return z.string().optional();
  if (typeof value === "number") return z.number().optional();
  return z.looseObject({}).optional();
}
