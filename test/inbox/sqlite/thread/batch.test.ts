import { expect, it } from "vitest";
import { HookporterError } from "../../../../src/entries/index.ts";
import { packResults, unpackResults } from "../../../../src/inbox/sqlite/thread/batch.ts";

it("an error arrives with its class, its code and SQLite's code", () => {
  const busy = new HookporterError("inbox_busy", "later");
  const full = Object.assign(new Error("disk full"), { errcode: 13 });
  const results = unpackResults(packResults([], [{ error: busy }, { error: full }]));
  expect(results).toMatchObject([{ error: { code: "inbox_busy" } }, { error: { errcode: 13 } }]);
  expect(results[0]).toSatisfy(({ error }) => error instanceof HookporterError);
});
