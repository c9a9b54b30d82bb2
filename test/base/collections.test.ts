import { describe, expect, it } from "vitest";
import { Chain } from "../../src/base/chain.ts";
import { NewestMap } from "../../src/base/newest-map.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ name })) as [Item, Item, Item, Item];
type Item = { readonly name: string };

describe("Chain", () => {
  it("keeps items in the order in which they were added", () => {
    const chain = new Chain<Item>();
    expect(chain.isEmpty).toBe(true);
    for (const item of [a, b, a]) chain.add(item);
    expect(chain.items()).toEqual([a, b, a]);
    expect(chain.first?.item).toBe(a);
    expect(chain.isEmpty).toBe(false);
  });

  it.each([
    ["the first", 0, [b, c]],
    ["one between others", 1, [a, c]],
    ["the last", 2, [a, b]],
  ] as const)("removes %s, and more can be added", (_, at, left) => {
    const chain = new Chain<Item>();
    const links = [a, b, c].map((item) => chain.add(item));
    const link = links[at] ?? chain.add(d);
    expect(chain.remove(link)).toBe(true);
    expect(chain.remove(link)).toBe(false);
    expect(chain.items()).toEqual(left);
    chain.add(d);
    expect(chain.items()).toEqual([...left, d]);
  });

  it("is empty once all were removed, in whatever order, and a removed link refers to nothing", () => {
    const chain = new Chain<Item>();
    const links = [a, b, c, d].map((item) => chain.add(item));
    for (const at of [2, 0, 3, 1]) chain.remove(links[at] ?? chain.add(a));
    expect(chain.isEmpty).toBe(true);
    expect(chain.first).toBeUndefined();
    for (const link of links)
      expect(Object.values(link)).toEqual([undefined, undefined, undefined]);
    chain.add(b);
    expect(chain.items()).toEqual([b]);
  });
});

it("a map of bounded size keeps what was set last, also what was set again", () => {
  const map = new NewestMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
