import { expect, it } from "vitest";
import { lastRunsOf, type RunOutline } from "../../src/inbox/outline.ts";

/** A run, such as `2b`: of attempt 2, by handler b. */
const run = (text: string) =>
  ({ attempt: Number(text[0]), handler: text[1], error: text }) as RunOutline;

it.each([
  ["", ""],
  ["1a", "1a"],
  ["1a 1b", "1a 1b"],
  ["1a 1b 2a 2b", "2a 2b"],
  ["1a 2a 1a", "1a"], // retried: the attempts are counted from 1 again
  ["1a 1a", "1a"],
  ["1a 1b 1b 1a", "1b 1a"],
])("of the runs %j the last attempt has %j", (runs, last) => {
  const all = runs.split(" ").filter((text) => text !== "");
  expect(lastRunsOf(all.map(run)).map(({ error }) => error)).toEqual(
    last.split(" ").filter((text) => text !== ""),
  );
});
