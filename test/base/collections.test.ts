import fc from "fast-check";
import { expect, it } from "vitest";
import { Chain } from "../../src/base/chain.ts";
import { NewestMap } from "../../src/base/newest-map.ts";

it("a chain keeps items in the order in which they were added, and any can be removed, once", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(9), { nil: undefined })), (steps) => {
      const chain = new Chain<{ readonly name: string }>();
      const links: ReturnType<typeof chain.add>[] = [];
      const model: (typeof links)[number]["item"][] = [];
      for (const [index, at] of steps.entries()) {
        const link = at === undefined ? undefined : links[at];
        if (link === undefined) {
          const item = { name: String(index) };
          links.push(chain.add(item));
          model.push(item);
        } else {
          const place = model.indexOf(link.item);
          expect(chain.remove(link)).toBe(place >= 0);
          if (place >= 0) model.splice(place, 1);
          // a removed link refers to nothing
          expect(Object.values(link)).toEqual([undefined, undefined, undefined]);
        }
        expect(chain.items()).toEqual(model);
        expect([chain.first?.item, chain.isEmpty]).toEqual([model[0], model.length === 0]);
      }
    }),
  );
});

it("a map of bounded size keeps what was set last, also what was set again", () => {
  const map = new NewestMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
