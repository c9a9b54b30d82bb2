import { describe, expect, it } from "vitest";
import type { TestTransactions } from "../../src/entries/testing.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import type { Settlement } from "../../src/inbox/settlement.ts";
import { describeInbox } from "./contract.ts";
import { AT, claimOne, keep, sampleEntry, settlementOf } from "./entries.ts";

describeInbox("the memory inbox", memoryInbox, { wakes: false });

describe("a handler's transaction in the memory inbox", () => {
  const terms = { timeout: 1000, now: () => AT, isLeased: () => true };

  /** An inbox with a claimed entry, and what became of the transactions of its test. */
  async function opened(commit: () => void = () => {}) {
    const ends: string[] = [];
    const transactions: TestTransactions = async (run) => {
      try {
        await run("tx" as never);
        commit();
        ends.push("committed");
      } catch (thrown) {
        ends.push("rolled back");
        throw thrown;
      }
    };
    const inbox = memoryInbox(transactions);
    await inbox.open();
    await keep(inbox, sampleEntry());
    const settlement = settlementOf(await claimOne(inbox), { finishedHandlers: ["a"] });
    const inside = (end: Parameters<NonNullable<typeof inbox.inside>>[0]) =>
      inbox.inside?.(end, terms);
    const entry = async () => (await inbox.list({}))[0];
    return { ends, settlement, inside, entry };
  }

  it("stores a result once it is committed", async () => {
    const { ends, settlement, inside, entry } = await opened();
    const given: unknown[] = [];
    const end = await inside(async (tx) => {
      given.push(tx);
      return settlement;
    });
    expect([end, given, ends]).toEqual(["committed", ["tx"], ["committed"]]);
    expect(await entry()).toMatchObject({ state: "handled", finishedHandlers: ["a"] });
  });

  it("stores that a handler has finished while others are left", async () => {
    const { settlement, inside, entry } = await opened();
    expect(await inside(async () => ({ ...settlement, state: "running" }))).toBe("committed");
    expect(await entry()).toMatchObject({ state: "running", finishedHandlers: ["a"] });
  });

  it.each(["roll_back", "abandon"] as const)("is rolled back for %s", async (wanted) => {
    const { ends, inside, entry } = await opened();
    expect([await inside(async () => wanted), ends]).toEqual(["rolled_back", ["rolled back"]]);
    expect(await entry()).toMatchObject({ state: "running", finishedHandlers: [] });
  });

  it.each<[string, object]>([
    ["a result", {}],
    ["a finished handler", { state: "running" }],
  ])("is refused for %s of an entry that is no longer leased", async (_, parts) => {
    const { ends, settlement, inside, entry } = await opened();
    const lost = { ...settlement, ...parts, lease: "another" } as Settlement;
    expect([await inside(async () => lost), ends]).toEqual(["refused", ["rolled back"]]);
    expect(await entry()).toMatchObject({ state: "running", finishedHandlers: [] });
  });

  it("throws what its commit throws", async () => {
    const { settlement, inside, entry } = await opened(() => {
      throw new Error("the disk is full");
    });
    await expect(inside(async () => settlement)).rejects.toThrow("the disk is full");
    expect(await entry()).toMatchObject({ state: "running" });
  });

  it("is there only if the test gave one", () => {
    expect(memoryInbox().inside).toBeUndefined();
  });
});
