import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AttemptRecord } from "../../src/entries/index.ts";
import { failureGroups, failuresLike } from "../../src/inbox/failures.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { AT, claimOne, keep, numberedEntry, RUN, settlementOf } from "./entries.ts";

/** Contract tests for what entries of an inbox failed with. */
export function describeFailures(makeInbox: () => Inbox): void {
  describe("what entries failed with:", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    /** Keeps an entry that fails with an error, or dies of it. */
    async function fail(
      number: number,
      state: "failing" | "dead",
      error: string,
      failure: AttemptRecord["failure"] = null,
    ): Promise<number> {
      const { seq } = await keep(
        inbox,
        numberedEntry(number, number, { kind: `kind_${number % 3}` }),
      );
      const claimed = await claimOne(inbox, AT + number);
      const record = { ...RUN, handler: "*", outcome: "error", error, failure } as const;
      const reason = state === "dead" ? "attempts_exhausted" : null;
      const settlement = settlementOf(claimed, {
        state,
        reason,
        records: [record],
      });
      await inbox.settle({ ...settlement, runAt: AT + 1e9, finishedHandlers: [] }, AT);
      return seq;
    }

    it("is nothing while nothing fails", async () => {
      await keep(inbox, numberedEntry(1));
      expect(await failureGroups(inbox)).toEqual({ groups: [], isPart: false });
    });

    it("is one group for errors that differ in numbers, ids and quoted text, whether they fail or are dead", async () => {
      const at = "handlers/ledger.ts:14:7";
      const failure = { name: "Error", at, stack: `Error: no\n at "at":"x" ${at}` };
      const seqs = [
        await fail(1, "failing", 'no lease "lea_1" of tenant 17 (7f0c-11)', failure),
        await fail(2, "dead", 'no lease "lea_2" of tenant 18 (7f0d-12)', failure),
        await fail(3, "failing", 'no lease "lea_3" of tenant 19 (7f0e-13)', failure),
      ];
      await fail(4, "failing", 'no lease "lea_3" of tenant 19 (7f0e-13)');
      const { groups } = await failureGroups(inbox);
      expect(groups.map(({ seqs: all }) => all.length)).toEqual([3, 1]);
      expect(groups[0]).toMatchObject({ seqs, at, failing: 2, dead: 1 });
      expect(groups[0]?.words).toBe('no lease "lea_1" of tenant 17 (7f0c-11)');
      expect(groups[0]?.kinds.toSorted()).toEqual(["kind_0", "kind_1", "kind_2"]);
      expect(await failuresLike(inbox, seqs[1] ?? 0)).toEqual(groups[0]);
    });

    it.each([
      [
        "a status",
        "http://127.0.0.1:3000/in answered 500",
        "http://127.0.0.1:3000/in answered 404",
      ],
      ["a target", "http://127.0.0.1:3000: refused", "http://127.0.0.1:3001: refused"],
      ["a message", "no lease", "no tenant"],
    ])("is another group for %s", async (_, text, other) => {
      await fail(1, "failing", text);
      await fail(2, "failing", other);
      expect((await failureGroups(inbox)).groups.length).toBe(2);
    });

    it("is why an entry did not run, and what does not fit its schema", async () => {
      const misfit = (message: string) => [{ field: "data.rooms", message }];
      const dead = { state: "dead", reason: "invalid_data" } as const;
      await keep(
        inbox,
        numberedEntry(1, 1, { ...dead, problems: misfit("expected number, got string") }),
      );
      await keep(
        inbox,
        numberedEntry(2, 2, { ...dead, problems: misfit("expected number, got string") }),
      );
      await keep(
        inbox,
        numberedEntry(3, 3, { ...dead, problems: misfit("expected number, got null") }),
      );
      await keep(inbox, numberedEntry(4, 4, { state: "dead", reason: "too_old" }));
      await keep(inbox, numberedEntry(5, 5, { state: "dead", reason: "dropped" }));
      const { groups } = await failureGroups(inbox);
      expect(groups.map(({ words, dead: count }) => [count, words])).toEqual([
        [2, "data.rooms: expected number, got string"],
        [1, "data.rooms: expected number, got null"],
        [1, expect.stringContaining("old")],
      ]);
    });

    it("is nothing of an entry that is not looked for, handled or waits", async () => {
      const { seq } = await keep(inbox, numberedEntry(1));
      expect(await failuresLike(inbox, seq)).toBeUndefined();
      const waiting = { state: "waiting", reason: "target_away" } as const;
      await inbox.settle(settlementOf(await claimOne(inbox), waiting), AT);
      expect(await failuresLike(inbox, seq)).toBeUndefined();
      expect(await failuresLike(inbox, 999)).toBeUndefined();
    });
  });
}
