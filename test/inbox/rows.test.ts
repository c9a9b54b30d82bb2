import { expect, it } from "vitest";
import { waitsValue } from "../../src/inbox/rows.ts";

it("an entry that waits for no target has nothing stored, so that those that wait are found", () => {
  expect(waitsValue([])).toBeNull();
  const wait = { target: "crm\0", since: 1, attempts: 2, nextAt: 3, over: null };
  expect(JSON.parse(waitsValue([wait]) ?? "")).toEqual([{ ...wait, target: '\u0001"crm\\u0000"' }]);
});
