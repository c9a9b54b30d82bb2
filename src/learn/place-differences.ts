import type { Difference } from "../event/difference.ts";
import type { DataType, Place } from "./data-type.ts";
import { jsonType, wordsOf } from "./differences.ts";

/** Returns how a place is now, compared with how it was: what new events have that old ones had not, and the reverse. */
export function placeDifferences(before: Place, now: Place, path = "data"): readonly Difference[] {
  const [expected, got] = [wordsOf(before), wordsOf(now)];
  const own: Difference[] = expected === got ? [] : [{ path, what: "type changed", expected, got }];
  const within = before.types.flatMap((type) => {
    const other = now.types.find((one) => jsonType(one) === jsonType(type));
    return other === undefined ? [] : typeDifferences(type, other, path);
  });
  return [...own, ...within];
}

function typeDifferences(before: DataType, now: DataType, path: string): readonly Difference[] {
  if (before.type === "array" && now.type === "array")
    return placeDifferences(before.items, now.items, `${path}[]`);
  if (before.type === "map" && now.type === "map")
    return placeDifferences(before.values, now.values, `${path}.*`);
  if (before.type === "string" && now.type === "string") {
    const had = new Set(before.values);
    const added = before.values === undefined ? [] : (now.values ?? []).filter((value) => !had.has(value));
    return added.map((value) => ({
      path,
      what: "new value",
      expected: wordsOf({ types: [before], isNullable: false }),
      got: JSON.stringify(value),
    }));
  }
  if (before.type !== "object" || now.type !== "object") return [];
  const then = new Map(before.fields.map((field) => [field.name, field]));
  const later = new Map(now.fields.map((field) => [field.name, field]));
  return [...new Set([...then.keys(), ...later.keys()])].sort().flatMap((name) => {
    const [old, own, inner] = [then.get(name), later.get(name), `${path}.${name}`];
    if (old === undefined || own === undefined)
      return [
        {
          path: inner,
          what: old === undefined ? ("new field" as const) : ("field gone" as const),
          expected: old === undefined ? "no such field" : wordsOf(old.place),
          got: own === undefined ? "no such field" : wordsOf(own.place),
        },
      ];
    const optional: readonly Difference[] =
      old.isOptional === own.isOptional
        ? []
        : [
            {
              path: inner,
              what: "type changed",
              expected: presence(old.isOptional),
              got: presence(own.isOptional),
            },
          ];
    return [...optional, ...placeDifferences(old.place, own.place, inner)];
  });
}

function presence(isOptional: boolean): string {
  return isOptional ? "absent at times" : "always there";
}
