import { beforeEach, describe, expect, it } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "../entries.ts";
import { open } from "./opened.ts";

let inbox: Inbox;

beforeEach(async () => {
  inbox = await open();
});

const claim = (parts: object = {}) =>
  inbox.claim({ now: AT + 100, limit: 10, leaseTime: 1000, ...parts });
const claimed = async (parts?: object) => (await claim(parts)).map(({ seq }) => seq);
const pause = (scope: "target" | "handler", name: string) =>
  inbox.pause?.({ scope, name, since: AT, who: "me" });

/** An entry that waits for a target. */
async function waitsFor(number: number, target: string): Promise<void> {
  await keep(inbox, numberedEntry(number, number));
  const waits = [{ target, since: AT, attempts: 1, nextAt: AT + 1e6, over: null }];
  const parts = { state: "waiting", reason: "target_away", runAt: AT + 1e6, waits } as const;
  await inbox.settle(settlementOf(await claimOne(inbox, AT + 100), parts), AT + 100);
}

describe("a claim", () => {
  it("of no source finds nothing", async () => {
    await keep(inbox, numberedEntry(1));
    expect(await claim({ sources: [] })).toEqual([]);
    expect(await inbox.nextRunAt({ sources: [] })).toBeUndefined();
    expect(await claimed({ sources: ["service"] })).toEqual([1]);
  });

  it("of several sources takes the entries that are due first, as many as it may", async () => {
    const of = (number: number, source: string) =>
      keep(inbox, numberedEntry(number, number, { key: { ...numberedEntry(number).key, source } }));
    for (const [number, source] of [
      [1, "b"],
      [2, "a"],
      [3, "b"],
      [4, "a"],
    ] as const)
      await of(number, source);
    expect(await claimed({ limit: 3 })).toEqual([1, 2, 3]);
    expect(await claimed({ limit: 3 })).toEqual([4]);
  });

  it("says what is paused only if a handler or a target is", async () => {
    await keep(inbox, numberedEntry(1));
    expect((await claim())[0]).not.toHaveProperty("paused");
    await pause("handler", "payment.*");
    await keep(inbox, numberedEntry(2));
    expect(await claim()).toMatchObject([
      { seq: 2, paused: [{ scope: "handler", name: "payment.*" }] },
    ]);
  });

  it("for a target finds what waits for it, unless that target is paused", async () => {
    await waitsFor(1, "a");
    await waitsFor(2, "b");
    await waitsFor(3, "a");
    await pause("target", "b");
    await pause("handler", "a"); // a handler of the same name
    expect(await claimed({ waitingFor: { target: "b", after: 0 } })).toEqual([]);
    expect(await claimed({ waitingFor: { target: "a", after: 0 }, limit: 1 })).toEqual([1]);
    expect(await claimed({ waitingFor: { target: "a", after: 3 } })).toEqual([]);
    expect(await claimed({ waitingFor: { target: "a", after: 0 } })).toEqual([3]);
  });

  it("leaves an entry alone that is excepted, also if it is the only one wanted", async () => {
    await keep(inbox, numberedEntry(1));
    expect(await claimed({ only: 1, except: [1] })).toEqual([]);
    expect(await claimed({ only: 2 })).toEqual([]);
    expect(await claimed({ only: 1, sources: ["other"] })).toEqual([]);
    expect(await claimed({ only: 1 })).toEqual([1]);
    expect(await claimed({ only: 1 })).toEqual([]);
  });

  it("leaves kinds alone that other processes run, but not what has no kind", async () => {
    await keep(inbox, numberedEntry(1));
    await keep(inbox, numberedEntry(2, 2, { kind: null }));
    expect(await claimed({ exceptKinds: ["payment.received"] })).toEqual([2]);
    expect(await inbox.nextRunAt({ exceptKinds: ["payment.received"] })).not.toBe(AT);
    expect(await claimed({ exceptKinds: [] })).toEqual([1]);
  });
});
