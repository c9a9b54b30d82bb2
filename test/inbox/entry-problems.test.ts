import { expect, it } from "vitest";
import { problemsOf } from "../../src/inbox/failures.ts";
import { sampleDelivery } from "./entries.ts";

const stored = [{ field: "data.a", message: "is missing" }];
const inexact = sampleDelivery({
  body: Buffer.from(
    '{"event":"lead.created","timestamp":"2024-01-15T12:00:00Z","data":{"n":12345678901234567890},"webhook":{"id":"wh_1","url":"u"}}',
  ),
});

it("what is stored is wrong with data, or else the numbers in its delivery that a double does not hold", () => {
  expect(problemsOf({ problems: stored }, inexact)).toBe(stored);
  expect(problemsOf({ problems: [] }, inexact)).toMatchObject([{ field: "data.n" }]);
  expect(problemsOf({ problems: [] }, undefined)).toEqual([]);
  expect(problemsOf({ problems: [] }, sampleDelivery())).toEqual([]); // no envelope
});
