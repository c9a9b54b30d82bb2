import { describe, expect, it } from "vitest";
import { AT, claimOne, keep, numberedEntry, RUN, sampleKey, settlementOf } from "../entries.ts";
import { claim, open } from "./opened.ts";

describe("the backlog", () => {
  it("is never more than its limit, however many entries are held back or of other sources", async () => {
    const inbox = await open();
    for (const number of [1, 2, 3, 4])
      await keep(inbox, numberedEntry(number, 0, { orderKey: "a" }));
    await keep(inbox, numberedEntry(5));
    await keep(inbox, numberedEntry(6, 0, { key: sampleKey({ source: "crm" }) }));
    await claim(inbox); // which marks what is held back
    const backlog = (limit: number, ...sources: readonly string[]) =>
      inbox.backlog?.({ sources, limit });
    const limits = [0, 1, 2, 3, 4, 5, 6, 7];
    expect(await Promise.all(limits.map((limit) => backlog(limit, "service", "crm")))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 6,
    ]);
    expect(await Promise.all(limits.map((limit) => backlog(limit, "service")))).toEqual([
      0, 1, 2, 3, 4, 5, 5, 5,
    ]);
    expect(await backlog(9)).toBe(0);
  });
});

describe("the runs of an entry", () => {
  it("are none if there is no such entry", async () => {
    const inbox = await open();
    expect(await inbox.attempts(7)).toEqual([]);
    expect(await inbox.delivery(7)).toBeUndefined();
  });

  it("are those in the order in which they were recorded, and then those of its last attempt", async () => {
    const inbox = await open();
    await keep(inbox, numberedEntry(1));
    const failed = ["b", "a"].map((handler) => ({
      ...RUN,
      handler,
      outcome: "error" as const,
      error: "no",
    }));
    await inbox.settle(
      settlementOf(await claimOne(inbox), { state: "failing", records: failed }),
      AT,
    );
    const records = ["z", "c"].map((handler) => ({ ...RUN, handler, attempt: 2 }));
    await inbox.settle(
      settlementOf(await claimOne(inbox), { records, finishedHandlers: ["z", "c"] }),
      AT,
    );
    expect((await inbox.attempts(1)).map(({ handler }) => handler)).toEqual(["b", "a", "z", "c"]);
  });
});
