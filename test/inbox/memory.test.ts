import { describe, expect, it } from "vitest";
import type { TestTransactions } from "../../src/entries/testing.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import type { Settlement } from "../../src/inbox/settlement.ts";
import { describeInbox } from "./contract.ts";
import { AT, claimOne, keep, sampleEntry, settlementOf } from "./entries.ts";

describeInbox("the memory inbox", memoryInbox);

describe("a handler's transaction in the memory inbox", () => {
  const UNCHANGED = { state: "running", finishedHandlers: [] };
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

  it.each<[string, object | "roll_back" | "abandon", string, object]>([
    ["a result", {}, "committed", { state: "handled", finishedHandlers: ["a"] }],
    [
      "that a handler has finished while others are left",
      { state: "running" },
      "committed",
      { state: "running", finishedHandlers: ["a"] },
    ],
    ["nothing for roll_back", "roll_back", "rolled_back", UNCHANGED],
    ["nothing for abandon", "abandon", "rolled_back", UNCHANGED],
    ["no result of a lost lease", { lease: "another" }, "refused", UNCHANGED],
    [
      "no finished handler of a lost lease",
      { lease: "another", state: "running" },
      "refused",
      UNCHANGED,
    ],
  ])("stores %s", async (_, end, outcome, stored) => {
    const { ends, settlement, inside, entry } = await opened();
    const given: unknown[] = [];
    const ended = await inside(async (tx) => {
      given.push(tx);
      return typeof end === "string" ? end : ({ ...settlement, ...end } as Settlement);
    });
    expect([ended, given]).toEqual([outcome, ["tx"]]);
    expect(ends).toEqual([outcome === "committed" ? "committed" : "rolled back"]);
    expect(await entry()).toMatchObject(stored);
  });

  it("throws what its commit throws", async () => {
    const { settlement, inside, entry } = await opened(() => {
      throw new Error("the disk is full");
    });
    await expect(inside(async () => settlement)).rejects.toThrow("the disk is full");
    expect(await entry()).toMatchObject({ state: "running" });
  });

  it("is there only if the test gave one", () => {
    expect(memoryInbox().insideLimit).toBeUndefined();
  });
});
