import type { DataType, Field, Place } from "./data-type.ts";
import { memberKey } from "./identifiers.ts";

/** Returns the TypeScript type of a place as source text, for use after `type Name = `. */
export function typescriptText(place: Place, indent = ""): string {
  const types = [...new Set(place.types.map((type) => typeText(type, indent)))];
  if (types.length === 0) return "unknown";
  return [...types, ...(place.isNullable ? ["null"] : [])].join(" | ");
}

function typeText(type: DataType, indent: string): string {
  if (type.type === "boolean") return "boolean";
  if (type.type === "integer" || type.type === "number") return "number";
  if (type.type === "array") return `Array<${typescriptText(type.items, indent)}>`;
  if (type.type === "map") return `Record<string, ${typescriptText(type.values, indent)}>`;
  if (type.type === "object") return objectText(type.fields, indent);
  if (type.values !== undefined) return type.values.map((value) => JSON.stringify(value)).join(" | ");
  return "string";
}

function objectText(fields: readonly Field[], indent: string): string {
  const inner = `${indent}  `;
  const lines = fields.map(
    ({ name, place, isOptional }) =>
      `${inner}${memberKey(name)}${isOptional ? "?" : ""}: ${typescriptText(place, inner)};\n`,
  );
  return `{\n${lines.join("")}${inner}[field: string]: unknown;\n${indent}}`;
}
