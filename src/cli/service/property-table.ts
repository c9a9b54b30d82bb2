import type { ChalkInstance } from "chalk";
import { printable } from "../printable.ts";
import { columnsOf } from "../wrap-text.ts";

/** The fields that the service's description shows, in its order. */
const DESCRIBED = ["id", "type", "address", "surface", "rooms", "rent", "yield", "tenant"];
const MAX_COLUMNS = 40;

/** The members that the description shows of a field that is an object. */
const DESCRIBED_MEMBERS: Readonly<Record<string, readonly string[]>> = { tenant: ["name", "lease_start"] };

/** A column: the path of its values, its width so far, and whether it has numbers. */
interface Column {
  readonly path: readonly string[];
  width: number;
  right: boolean;
}

/**
 * A table of properties that is printed as they arrive; a field that contains an object becomes a column per member. The
 * first properties decide the columns, and a column becomes wider when it must.
 */
export class PropertyTable {
  readonly #fields: readonly string[];
  readonly #color: ChalkInstance;
  #columns: readonly Column[] | undefined;

  constructor(color: ChalkInstance, fields: readonly string[] = DESCRIBED) {
    this.#color = color;
    this.#fields = fields;
  }

  /** Formats more properties; the heading comes before the first ones. */
  lines(properties: readonly unknown[]): readonly string[] {
    if (properties.length === 0) return [];
    const isFirst = this.#columns === undefined;
    this.#columns ??= columnsFor(properties, this.#fields);
    const columns = this.#columns;
    for (const column of columns) widen(column, properties);
    const cells = properties.map((property) => columns.map(({ path }) => textOf(valueAt(property, path))));
    const rows = cells.map((row) => rowOf(row, columns));
    if (!isFirst) return rows;
    const heading = columns.map(({ path }) => path.join("."));
    return [this.#color.dim(rowOf(heading, columns)), ...rows];
  }
}

function columnsFor(properties: readonly unknown[], fields: readonly string[]): readonly Column[] {
  return fields.flatMap((field) => {
    const described = DESCRIBED_MEMBERS[field] ?? [];
    const found = properties.flatMap((property) => namesIn(valueAt(property, [field])));
    const members = [...new Set([...described, ...found])];
    const paths = members.length === 0 ? [[field]] : members.map((member) => [field, member]);
    return paths.map((path) => ({ path, width: columnsOf(path.join(".")), right: false }));
  });
}

function widen(column: Column, properties: readonly unknown[]): void {
  for (const property of properties) {
    const value = valueAt(property, column.path);
    column.width = Math.max(column.width, columnsOf(textOf(value)));
    column.right ||= typeof value === "number";
  }
}

function rowOf(texts: readonly string[], columns: readonly Column[]): string {
  const cells = columns.map(({ width, right }, index) => {
    const text = texts[index] ?? "";
    const space = " ".repeat(width - columnsOf(text));
    return right ? space + text : text + space;
  });
  return cells.join("  ").trimEnd();
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
