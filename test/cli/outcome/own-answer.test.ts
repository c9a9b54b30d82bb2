import { expect, it } from "vitest";
import { ownAnswerLine, readOwnAnswer } from "../../../src/cli/outcome/own-answer.ts";

const ID = `evt_1_${"5b".repeat(20)}`;
const isNew = { id: ID, duplicate: false };

it("reads the answer of a receiver made with this library, and no other", () => {
  expect(readOwnAnswer(`{"received":true,"id":"${ID}","duplicate":true}`)).toEqual({
    id: ID,
    duplicate: true,
  });
  for (const body of ["", "ok", "null", "[]", '{"received":true}', '{"id":"a","duplicate":false}'])
    expect(readOwnAnswer(body)).toBeUndefined();
});

it.each([
  ["payment.received", ` 25.7 ms  new  ${ID.slice(0, -1)}`],
  [`payment.received ${ID}`, " 25.7 ms  new"],
  ["20261122T183051.617Z-000001-payment.received-evt_1_bb9f626e6c1830.json", "… 25.7 ms  new"],
])("the answer to %s takes one line of 80 columns with its status", (label, end) => {
  const line = `200 ${ownAnswerLine(label, 25.7, isNew, 80)}`;
  expect(line.length).toBeLessThanOrEqual(80);
  expect(line.endsWith(end)).toBe(true);
});

it("an id in an answer cannot draw on the terminal", () => {
  expect(ownAnswerLine("a", 1, { id: "\u001b[2J", duplicate: true })).toBe(
    "a 1 ms  duplicate  \\u001b[2J",
  );
});
