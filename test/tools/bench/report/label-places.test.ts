import fc from "fast-check";
import { expect, it } from "vitest";
import { labelPlaces } from "../../../../tools/bench/report/label-places.ts";

it("labels that are far enough apart stay in place", () => {
  expect(labelPlaces([100, 20, 60], { gap: 18, lowest: 380 })).toEqual([100, 20, 60]);
});

it("overlapping labels move down, or up if there is no space below", () => {
  expect(labelPlaces([100, 101, 99], { gap: 18, lowest: 380 })).toEqual([117, 135, 99]);
  expect(labelPlaces([380, 379], { gap: 18, lowest: 380 })).toEqual([380, 362]);
});

it("labels never overlap or leave the plot", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 9 }), (wanted) => {
      const places = [...labelPlaces(wanted, { gap: 18, lowest: 380 })].sort((a, b) => a - b);
      const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
      expect(gaps.filter((gap) => gap < 18)).toEqual([]);
      expect(places.filter((place) => place > 380)).toEqual([]);
    }),
  );
});
