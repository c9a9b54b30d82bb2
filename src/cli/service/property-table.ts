import type { ChalkInstance } from "chalk";
import type { SelectedProperty } from "../../client/property.ts";
import { printable } from "../printable.ts";
import { columnsOf } from "../wrap-text.ts";

/** The fields that the service's description shows, in its order. */
const DESCRIBED = ["id", "type", "address", "surface", "rooms", "rent", "yield", "tenant"];
const MAX_COLUMNS = 40;

/** Formats properties as a table with a heading; a field that contains an object becomes a column per member. */
export function propertyTable(
  properties: readonly SelectedProperty[],
  color: ChalkInstance,
  fields: readonly string[] = DESCRIBED,
): readonly string[] {
  if (properties.length === 0) return [];
  const columns = fields.flatMap((field) => {
    const parts = new Set(properties.flatMap((property) => namesIn(property[field])));
    return parts.size === 0 ? [[field]] : [...parts].map((part) => [field, part]);
  });
  const cells = columns.map((path) => {
    const values = properties.map((property) => valueAt(property, path));
    const texts = [path.join("."), ...values.map(textOf)];
    const width = Math.max(...texts.map(columnsOf));
    const right = values.some((value) => typeof value === "number");
    return texts.map((text) => {
      const space = " ".repeat(width - columnsOf(text));
      return right ? space + text : text + space;
    });
  });
  const lines = ["", ...properties].map((_, row) => {
    return cells
      .map((column) => column[row])
      .join("  ")
      .trimEnd();
  });
  return lines.map((line, row) => (row === 0 ? color.dim(line) : line));
}

function namesIn(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

function valueAt(property: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => {
    const inside = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return inside ? (value as Record<string, unknown>)[name] : undefined;
  }, property);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "-";
  return printable(typeof value === "string" ? value : JSON.stringify(value), MAX_COLUMNS);
}
