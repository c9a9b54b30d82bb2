import type { DataType, Place } from "./data-type.ts";
import { DECIMAL } from "./text-format.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON Schema (draft 2020-12) of a place. Unless it is strict, it holds types alone;
 * `format`, which validators take as a note, stays.
 */
export function jsonSchema(place: Place, isStrict: boolean): JsonSchema {
  const options = place.types.map((type) => typeSchema(type, isStrict));
  if (options.length === 0) return {};
  if (place.isNullable) options.push({ type: "null" });
  return options.length === 1 ? (options[0] ?? {}) : { anyOf: options };
}

function typeSchema(type: DataType, isStrict: boolean): JsonSchema {
  if (type.type === "array") return { type: "array", items: jsonSchema(type.items, isStrict) };
  if (type.type === "map")
    return { type: "object", additionalProperties: jsonSchema(type.values, isStrict) };
  if (type.type === "object") {
    const required = type.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    return {
      type: "object",
      properties: Object.fromEntries(
        type.fields.map(({ name, place }) => [name, jsonSchema(place, isStrict)]),
      ),
      ...(required.length > 0 && { required }),
    };
  }
  if (type.type === "integer" && !isStrict) return { type: "number" };
  if (type.type !== "string") return { type: type.type };
  if (type.values !== undefined)
    return isStrict ? { enum: type.values } : { type: "string", examples: type.values };
  const { format } = type;
  if (format === undefined) return { type: "string" };
  const pattern = format.startsWith("id:") ? `^${format.slice("id:".length)}` : DECIMAL.source;
  if (format === "decimal" || format.startsWith("id:"))
    return { type: "string", ...(isStrict && { pattern }) };
  return { type: "string", format: format === "url" ? "uri" : format };
}
