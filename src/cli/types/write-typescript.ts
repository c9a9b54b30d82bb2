import type { DataType, Field, Place } from "./data-type.ts";
import { memberKey } from "./identifiers.ts";

/**
 * Returns the TypeScript type of a place as source text, for use after `type Name = `. Unless it is
 * strict, an enum has the type of any other text too.
 */
export function typescriptText(place: Place, isStrict: boolean, indent = ""): string {
  const types = [...new Set(place.types.map((type) => typeText(type, isStrict, indent)))];
  if (types.length === 0) return "unknown";
  return [...types, ...(place.isNullable ? ["null"] : [])].join(" | ");
}

function typeText(type: DataType, isStrict: boolean, indent: string): string {
  if (type.type === "boolean") return "boolean";
  if (type.type === "integer" || type.type === "number") return "number";
  if (type.type === "array") return `Array<${typescriptText(type.items, isStrict, indent)}>`;
  if (type.type === "map")
    return `Record<string, ${typescriptText(type.values, isStrict, indent)}>`;
  if (type.type === "object") return objectText(type.fields, isStrict, indent);
  if (type.values === undefined) return "string";
  const others = isStrict ? [] : ["(string & {})"];
  return [...type.values.map((value) => JSON.stringify(value)), ...others].join(" | ");
}

function objectText(fields: readonly Field[], isStrict: boolean, indent: string): string {
  const inner = `${indent}  `;
  const lines = fields.map(
    ({ name, place, isOptional }) =>
      `${inner}${memberKey(name)}${isOptional ? "?" : ""}: ${typescriptText(place, isStrict, inner)};\n`,
  );
  return `{\n${lines.join("")}${inner}[field: string]: unknown;\n${indent}}`;
}
