import type { DataType, Field, Place } from "./data-type.ts";
import { memberKey } from "./identifiers.ts";
import { DECIMAL, type TextFormat } from "./text-format.ts";

/**
 * Returns the zod schema of a place as source text, for use after `const name = `. Unless it is
 * strict it holds the types of JSON alone: what the few events had in common besides is a comment,
 * and differs as drift. A strict one refuses texts of another format, fractions for integers and
 * other values than those of an enum.
 */
export function zodText(place: Place, isStrict: boolean, indent = ""): string {
  const own = unionText(place.types, isStrict, indent);
  return place.isNullable && place.types.length > 0 ? `${own}.nullable()` : own;
}

function unionText(types: readonly DataType[], isStrict: boolean, indent: string): string {
  const [first, ...others] = types.map((type) => typeText(type, isStrict, indent));
  if (first === undefined) return "z.unknown()";
  return others.length === 0 ? first : `z.union([${[first, ...others].join(", ")}])`;
}

function typeText(type: DataType, isStrict: boolean, indent: string): string {
  if (type.type === "boolean") return "z.boolean()";
  if (type.type === "integer") return isStrict ? "z.int()" : "z.number()";
  if (type.type === "number") return "z.number()";
  if (type.type === "array") return `z.array(${zodText(type.items, isStrict, indent)})`;
  if (type.type === "map") return `z.record(z.string(), ${zodText(type.values, isStrict, indent)})`;
  if (type.type === "object") return objectText(type.fields, isStrict, indent);
  const { values, format } = type;
  if (values === undefined) return isStrict ? formatText(format) : "z.string()";
  const texts = values.map((value) => JSON.stringify(value));
  if (isStrict) return `z.enum([${texts.join(", ")}])`;
  // an editor completes the known ones
  return `(z.string() as z.ZodType<${[...texts, "(string & {})"].join(" | ")}>)`;
}

function objectText(fields: readonly Field[], isStrict: boolean, indent: string): string {
  if (fields.length === 0) return "z.looseObject({})";
  const inner = `${indent}  `;
  const lines = fields.map((field) => {
    const text = fieldText(field, isStrict, inner);
    return `${inner}${memberKey(field.name)}: ${text},${isStrict ? "" : formatComment(field.place)}\n`;
  });
  return `z.looseObject({\n${lines.join("")}${indent}})`;
}

/** What the values had in common beside their type. */
function formatComment({ types }: Place): string {
  const formats = types.flatMap((type) => {
    if (type.type === "integer") return "integer";
    if (type.type !== "string" || type.format === undefined) return [];
    return type.format.startsWith("id:") ? `${type.format.slice("id:".length)}…` : type.format;
  });
  return formats.length === 0 ? "" : ` // ${formats.join(", ")}`;
}

function fieldText({ place, isOptional }: Field, isStrict: boolean, indent: string): string {
  if (!isOptional) return zodText(place, isStrict, indent);
  const own = unionText(place.types, isStrict, indent);
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
