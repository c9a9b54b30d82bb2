import type { DataType, Place } from "./data-type.ts";
import { DECIMAL, type TextFormat } from "./text-format.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema (draft 2020-12) of a place. */
export function jsonSchema(place: Place): JsonSchema {
  const options = place.types.map(typeSchema);
  if (options.length === 0) return {};
  if (place.isNullable) options.push({ type: "null" });
  return options.length === 1 ? (options[0] ?? {}) : { anyOf: options };
}

function typeSchema(type: DataType): JsonSchema {
  if (type.type === "array") return { type: "array", items: jsonSchema(type.items) };
  if (type.type === "map") return { type: "object", additionalProperties: jsonSchema(type.values) };
  if (type.type === "object") {
    const required = type.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    return {
      type: "object",
      properties: Object.fromEntries(type.fields.map(({ name, place }) => [name, jsonSchema(place)])),
      ...(required.length > 0 && { required }),
    };
  }
  if (type.type !== "string") return { type: type.type };
  if (type.values !== undefined) return { enum: type.values };
  return { type: "string", ...formatSchema(type.format) };
}

function formatSchema(format: TextFormat | undefined): JsonSchema {
  if (format === undefined) return {};
  if (format === "url") return { format: "uri" };
  if (format === "decimal") return { pattern: DECIMAL.source };
  if (format.startsWith("id:")) return { pattern: `^${format.slice("id:".length)}` };
  return { format };
}
