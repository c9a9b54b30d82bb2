import { expect, it } from "vitest";
// @ts-expect-error: a script without types
import { compare, measure } from "../../tools/budgets.js";

it("the project is within its budgets; `npm run budgets` prints them", async () => {
  const all: readonly { name: string; figure: number; budget: number; isOver: boolean }[] = compare(
    await measure(),
  );
  expect(all.length).toBeGreaterThan(5);
  expect(all.filter(({ isOver }) => isOver)).toEqual([]);
});

it("a figure over its budget, one without a budget, and a budget without a figure are found", () => {
  const found: readonly { name: string; isOver: boolean }[] = compare(
    { within: 3, over: 4, unplanned: 1 },
    { within: 3, over: 3, unmeasured: 1 },
  );
  expect(found.filter(({ isOver }) => isOver).map(({ name }) => name)).toEqual([
    "over",
    "unplanned",
    "unmeasured",
  ]);
});
