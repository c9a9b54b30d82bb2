import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EntryFilter } from "../../src/inbox/entry-filter.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { AT, claimOne, keep, numberedEntry, sampleDelivery, settlementOf } from "./entries.ts";

/**
 * Contract tests for the filter by text. `makeInbox` returns an empty inbox that is not open yet.
 */
export function describeSearch(makeInbox: () => Inbox): void {
  describe("a search", () => {
    let inbox: Inbox;
    const ids = async (filter: EntryFilter) =>
      (await inbox.list(filter)).map(({ key }) => key.eventId);

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
      await keep(inbox, numberedEntry(1, 0, { orderKey: "lease 'A'" }));
      const { seq, lease } = await claimOne(inbox);
      const records = [
        { attempt: 1, handler: "own", startedAt: AT, duration: 2, outcome: "error" as const },
      ].map((record) => ({
        ...record,
        error: "Ledger says:\nno",
        failure: null,
        note: "502 Bad Gateway",
      }));
      const settlement = settlementOf(
        { seq, lease },
        { state: "dead", reason: "attempts_exhausted", records },
      );
      expect(await inbox.settle(settlement, AT + 5)).toBe(true);
      const delivery = sampleDelivery({
        headers: { "X-Tenant": "Acme", via: "1.1 abc", etag: 'W/"4711"' },
        body: Buffer.from("{}"),
        receivedAt: AT + 10,
      });
      const problems = [{ field: "data.surface", message: 'expected "a" or number, got string' }];
      const invalid = {
        kind: "property.created",
        state: "dead",
        reason: "invalid_data",
        problems,
      } as const;
      await keep(inbox, numberedEntry(2, 10, { ...invalid, delivery }));
    });

    afterEach(() => inbox.close());

    it.each([
      ["an attempt's error", "LEDGER says", [1]],
      ["the second line of an error", "\nno", [1]],
      ["an attempt's note", "bad gateway", [1]],
      ["the reason", "exhausted", [1]],
      ["an order key", "lease 'a", [1]],
      ["the kind", "perty.cre", [2]],
      ["a problem as it is shown", 'data.surface: expected "a" or', [2]],
      ["the name of a header", "x-tenant", [2]],
      ["the value of a header", "acme", [2]],
      ["quotes in the value of a header", 'w/"4711"', [2]],
      ["nothing in headers by less than 4 characters", "abc", []],
      ["nothing across two texts", "evt_2property", []],
    ] as const)("finds %s", async (_, text, numbers) => {
      expect(await ids({ text })).toEqual(numbers.map((number) => `evt_${number}`));
    });

    it("outlines, if there are any, have the runs of the last attempt, and the first bytes of the body", async (context) => {
      if (inbox.outlines === undefined) return context.skip("it has no outlines");
      const entries = await inbox.list({});
      const outlines = await inbox.outlines({ entries, bodyBytes: 8 });
      expect(
        outlines.map(({ lastRuns }) => lastRuns.map(({ attempt, error }) => [attempt, error])),
      ).toEqual([[[1, "Ledger says:\nno"]], []]);
      expect(outlines.map(({ bodyStart }) => String(Buffer.from(bodyStart ?? [])))).toEqual([
        '{"event"',
        "{}",
      ]);
      expect(await inbox.outlines({ entries: [], bodyBytes: 8 })).toEqual([]);
    });

    it("for a state finds what failed at its last attempt apart from what has not run", async () => {
      await keep(inbox, numberedEntry(3));
      const failed = settlementOf(await claimOne(inbox), { state: "failing", runAt: AT + 9 });
      await inbox.settle(failed, AT);
      await keep(inbox, numberedEntry(4));
      expect(await ids({ states: ["waiting", "failing"] })).toEqual(["evt_3", "evt_4"]);
      expect(await ids({ states: ["failing"] })).toEqual(["evt_3"]);
      expect(await ids({ states: ["waiting"] })).toEqual(["evt_4"]);
    });

    it("counts are those of a filter", async () => {
      expect(await inbox.counts({ kinds: ["property.*"] })).toMatchObject({ dead: 1, waiting: 0 });
      expect(await inbox.counts({ since: AT + 10 })).toMatchObject({ dead: 1 });
      expect(await inbox.counts({ until: AT + 10, kinds: ["property.*"] })).toMatchObject({
        dead: 0,
      });
      expect(await inbox.counts({})).toMatchObject({ dead: 2 });
    });

    it.each(["states", "kinds", "sources", "seqs", "targets"] as const)(
      "finds nothing for an empty list of %s",
      async (name) => {
        expect(await ids({ [name]: [] })).toEqual([]);
      },
    );

    it("also finds what its alternatives name, within the rest of the filter", async () => {
      const [first] = await inbox.list({});
      const text = "nothing has this";
      expect(await ids({ text })).toEqual([]);
      expect(await ids({ text, alternatives: { states: ["dead"] } })).toEqual(["evt_1", "evt_2"]);
      expect(
        await ids({ text, alternatives: { states: ["dead"] }, kinds: ["property.*"] }),
      ).toEqual(["evt_2"]);
      expect(await ids({ text, alternatives: { reasons: ["invalid_data"] } })).toEqual(["evt_2"]);
      expect(await ids({ text, alternatives: { seqs: [first?.seq ?? 0] } })).toEqual(["evt_1"]);
      expect(await ids({ text, alternatives: {} })).toEqual([]);
      expect(
        await inbox.retry({ text, alternatives: { reasons: ["invalid_data"] } }, AT),
      ).toMatchObject({ ended: 1 });
    });
  });
}
