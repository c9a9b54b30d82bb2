import type { Difference } from "../../event/difference.ts";
import type { DataType, Place } from "./data-type.ts";
import { goneField, jsonType, newField, wordsOf } from "./differences.ts";

/**
 * Returns how a place is now, compared with how it was: what new events have that old ones had not,
 * and the reverse.
 */
export function placeDifferences(before: Place, now: Place, path = "data"): readonly Difference[] {
  const members = before.types.flatMap((type) => {
    const other = now.types.find((candidate) => jsonType(candidate) === jsonType(type));
    return other === undefined ? [] : typeDifferences(type, other, path);
  });
  return [...changed(path, wordsOf(before), wordsOf(now)), ...members];
}

function typeDifferences(before: DataType, now: DataType, path: string): readonly Difference[] {
  if (before.type === "array" && now.type === "array")
    return placeDifferences(before.items, now.items, `${path}[]`);
  if (before.type === "map" && now.type === "map")
    return placeDifferences(before.values, now.values, `${path}.*`);
  if (before.type === "string" && now.type === "string") {
    const had = new Set(before.values);
    const added =
      before.values === undefined ? [] : (now.values ?? []).filter((value) => !had.has(value));
    const expected = wordsOf({ types: [before], isNullable: false });
    return added.map((value) => ({
      path,
      what: "new value",
      expected,
      got: JSON.stringify(value),
    }));
  }
  if (before.type !== "object" || now.type !== "object") return [];
  const then = new Map(before.fields.map((field) => [field.name, field]));
  const later = new Map(now.fields.map((field) => [field.name, field]));
  return [...new Set([...then.keys(), ...later.keys()])].sort().flatMap((name) => {
    const old = then.get(name);
    const own = later.get(name);
    const inner = `${path}.${name}`;
    if (own === undefined) return old === undefined ? [] : goneField(inner, old.place);
    if (old === undefined) return newField(inner, wordsOf(own.place));
    const optional = changed(inner, presence(old.isOptional), presence(own.isOptional));
    return [...optional, ...placeDifferences(old.place, own.place, inner)];
  });
}

function changed(path: string, expected: string, got: string): readonly Difference[] {
  return expected === got ? [] : [{ path, what: "type changed", expected, got }];
}

function presence(isOptional: boolean): string {
  return isOptional ? "absent at times" : "always there";
}
