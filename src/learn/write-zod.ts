import type { DataType, Field, Place } from "./data-type.ts";
import { memberKey } from "./identifiers.ts";
import { DECIMAL, type TextFormat } from "./text-format.ts";

/** Returns the zod schema of a place as source text, for use after `const name = `. */
export function zodText(place: Place, indent = ""): string {
  const own = unionText(place.types, indent);
  return place.isNullable && place.types.length > 0 ? `${own}.nullable()` : own;
}

function unionText(types: readonly DataType[], indent: string): string {
  const [first, ...others] = types.map((type) => typeText(type, indent));
  if (first === undefined) return "z.unknown()";
  return others.length === 0 ? first : `z.union([${[first, ...others].join(", ")}])`;
}

function typeText(type: DataType, indent: string): string {
  if (type.type === "boolean") return "z.boolean()";
  if (type.type === "integer") return "z.int()";
  if (type.type === "number") return "z.number()";
  if (type.type === "array") return `z.array(${zodText(type.items, indent)})`;
  if (type.type === "map") return `z.record(z.string(), ${zodText(type.values, indent)})`;
  if (type.type === "object") return objectText(type.fields, indent);
  if (type.values !== undefined)
    return `z.enum([${type.values.map((value) => JSON.stringify(value)).join(", ")}])`;
  return formatText(type.format);
}

function objectText(fields: readonly Field[], indent: string): string {
  if (fields.length === 0) return "z.looseObject({})";
  const inner = `${indent}  `;
  const lines = fields.map((field) => `${inner}${memberKey(field.name)}: ${fieldText(field, inner)},\n`);
  return `z.looseObject({\n${lines.join("")}${indent}})`;
}

function fieldText({ place, isOptional }: Field, indent: string): string {
  if (!isOptional) return zodText(place, indent);
  const own = unionText(place.types, indent);
  return `${own}${place.isNullable && place.types.length > 0 ? ".nullish()" : ".optional()"}`;
}

function formatText(format: TextFormat | undefined): string {
  if (format === undefined) return "z.string()";
  if (format === "date") return "z.iso.date()";
  if (format === "date-time") return "z.iso.datetime({ offset: true })";
  if (format === "email") return "z.email()";
  if (format === "url") return "z.url()";
  if (format === "uuid") return "z.uuid()";
  if (format === "decimal") return `z.string().regex(${DECIMAL})`;
  return `z.string().startsWith(${JSON.stringify(format.slice("id:".length))})`;
}
