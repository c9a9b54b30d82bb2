import { expect, it } from "vitest";
import {
  failureGroups,
  failureOf,
  failuresLike,
  LOOKED_AT,
  problemsOf,
  withoutParticulars,
} from "../../src/inbox/failures.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { keep, numberedEntry, sampleDelivery } from "./entries.ts";

it.each([
  [`no "lead 5" in 'the list' or \`there\``, "no … in … or …"],
  ['an "open quote\nand "another"', 'an "open quote\nand …'],
  ["don't stop at 3 of 12", "don't stop at # of #"],
  ["order ord_8f3a-1 of user 17 failed", "order # of user # failed"],
  ["the target answered 503 to 9 requests", "the target answered 503 to # requests"],
  ["exited with code 137, status 200", "exited with code 137, status 200"],
  ["connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED #.#.#.#:5432"],
])("%j is compared as %j", (error, compared) => {
  expect(withoutParticulars(error)).toBe(compared);
});

it("only the first 500 characters of an error are compared", () => {
  expect(withoutParticulars(`${"x".repeat(499)}yz`)).toBe(`${"x".repeat(499)}y`);
});

it("what an entry failed with is why it did not run, if no run failed: its reason, or what is wrong with its data", () => {
  const none = { reason: null, problems: [] };
  expect(failureOf(none, [{ error: null, at: null }])).toBeUndefined();
  expect(failureOf({ reason: "dropped", problems: [] }, [])).toMatchObject({ key: "dropped\n" });
  const problems = [
    { field: "data.a", message: "expected 5" },
    { field: "data.b", message: "is missing" },
  ];
  expect(failureOf({ reason: "invalid_data", problems }, [])).toEqual({
    key: "invalid_data\ndata.a: expected #; data.b: is missing",
    at: null,
    words: "data.a: expected 5; data.b: is missing",
  });
});

it("an entry is found among those that failed like it, however many others failed in ways of their own", async () => {
  const inbox = memoryInbox();
  await inbox.open();
  for (let number = 0; number < 1100; number++) {
    const message = number.toString(2).replaceAll("0", "a").replaceAll("1", "b");
    const problems = [{ field: "data.x", message }];
    await keep(
      inbox,
      numberedEntry(number, 0, { state: "dead", reason: "invalid_data", problems }),
    );
  }
  expect(await failuresLike(inbox, 1100)).toMatchObject({ seqs: [1100], dead: 1 });
  expect((await failureGroups(inbox)).groups).toHaveLength(1100);
});

it("errors of older entries are found behind any number of dropped ones", async () => {
  const inbox = memoryInbox();
  await inbox.open();
  const dead = (number: number, reason: string) =>
    inbox.append(numberedEntry(number, number, { state: "dead", reason }));
  await dead(0, "too_old");
  for (let number = 1; number <= LOOKED_AT; number++) await dead(number, "dropped");
  expect(await failureGroups(inbox)).toMatchObject({ groups: [{ dead: 1 }], isPart: false });
  await inbox.close();
});

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
