import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { SenderNote } from "../../src/inbox/senders.ts";
import { AT } from "./entries.ts";

const noteOf = (parts: Partial<SenderNote> = {}): SenderNote => ({
  source: "service",
  days: [],
  ...parts,
});
const mismatchesAt = (from: number, to = from) => ({ count: 2, bodies: 1, from, to });

/** Contract tests for what receivers note of signatures. */
export function describeSenders(makeInbox: () => Inbox): void {
  describe("what receivers note of signatures:", () => {
    let inbox: Inbox;
    const record = (parts?: Partial<SenderNote>) => inbox.recordSender?.(noteOf(parts));

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    it("is nothing at first", async () => {
      expect(await inbox.senders?.()).toEqual([]);
    });

    it("is kept by source, whatever the source is called", async () => {
      const odd = "crm\0\ud800";
      const days = [{ day: Math.floor(AT / 86_400_000), events: 2, longestGap: 5 }];
      const authentic = { first: AT - 5, last: AT };
      await record({ source: odd, authentic, days, mismatches: mismatchesAt(AT + 1, AT + 3) });
      await record({ mismatches: mismatchesAt(AT) });
      const known = await inbox.senders?.();
      expect(known).toHaveLength(2);
      expect(known).toContainEqual({
        source: odd,
        authenticAt: AT,
        days,
        mismatches: { count: 2, bodies: 1, from: AT + 1, to: AT + 3 },
      });
      expect(known).toContainEqual({
        source: "service",
        days: [],
        mismatches: { count: 2, bodies: 1, from: AT, to: AT },
      });
    });

    it("adds up over several notes, even at once, until an authentic delivery comes", async () => {
      await record({ authentic: { first: AT, last: AT } });
      await Promise.all([1, 2, 3, 4].map((n) => record({ mismatches: mismatchesAt(AT + n) })));
      expect(await inbox.senders?.()).toMatchObject([
        { authenticAt: AT, mismatches: { count: 8, bodies: 4, from: AT + 1, to: AT + 4 } },
      ]);
      const last = await record({ authentic: { first: AT + 9, last: AT + 9 } });
      expect(last).toMatchObject({ authenticAt: AT + 9 });
      expect(last?.mismatches).toBeUndefined();
      expect((await inbox.senders?.())?.[0]?.mismatches).toBeUndefined();
    });
  });
}
