import { expect, it } from "vitest";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { pruneInbox, stepResult } from "../../src/inbox/prune.ts";

it.each([
  [3, 1, "7"],
  [3, 0, undefined],
  [2, 1, undefined],
])("after %i of 3 rows, %i of them old, the next step begins after %s", (count, old, next) => {
  const rows = [{ seq: 5 }, { seq: 6 }, { seq: 7 }].slice(0, count);
  expect(stepResult(rows, old, 3, { limit: 3 })).toEqual({ changed: 3, next });
});

it("an inbox is pruned and slimmed in steps until none is left, or until it is stopped", async () => {
  const controller = new AbortController();
  const asked: unknown[] = [];
  const step = (name: string) => async (_request: object, given: { cursor?: string }) => {
    asked.push([name, given]);
    if (name === "slim") controller.abort();
    return { changed: 2, next: given.cursor === undefined ? "7" : undefined };
  };
  const inbox = Object.assign(memoryInbox(), { prune: step("prune"), slim: step("slim") });
  const prune = { states: [], receivedUntil: 0, datedUntil: 0 };
  const slim = { settledUntil: 0 };
  expect(await pruneInbox(inbox as never, {})).toEqual({ pruned: 0, slimmed: 0 });
  const done = await pruneInbox(inbox as never, { prune, slim, signal: controller.signal });
  expect(done).toEqual({ pruned: 4, slimmed: 2 });
  expect(asked).toEqual([
    ["prune", { cursor: undefined, limit: 200 }],
    ["prune", { cursor: "7", limit: 200 }],
    ["slim", { cursor: undefined, limit: 200 }],
  ]);
});
