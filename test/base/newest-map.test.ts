import { expect, it } from "vitest";
import { NewestMap } from "../../src/base/newest-map.ts";

it("a map of bounded size keeps what was set last, also what was set again", () => {
  const map = new NewestMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
