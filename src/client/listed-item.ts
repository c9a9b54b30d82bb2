import type { z } from "zod";
import { type DataProblem, toDataProblems } from "../event/data-problems.ts";

/** An item of a list whose fields have the described types. */
export interface FittingItem<Item> {
  /** The property; fields that the description does not show are kept. */
  readonly property: Item;
  readonly problems: undefined;
}

/** An item of a list that contradicts the description. */
export interface MisfitItem {
  /** What the service sent, unchanged. */
  readonly property: unknown;
  /** How it contradicts the description, such as `property.rent: expected number, got string`; never values. */
  readonly problems: readonly DataProblem[];
}

/** An item of a list: if `problems` is `undefined`, the property has the described types. */
export type ListedItem<Item> = FittingItem<Item> | MisfitItem;

/** Compares an item with the description. */
export function readItem<Item>(value: unknown, schema: z.ZodType<Item>): ListedItem<Item> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { property: parsed.data, problems: undefined };
  return { property: value, problems: toDataProblems(parsed.error.issues, value, "property") };
}
