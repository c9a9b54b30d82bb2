import { beforeEach, describe, expect, it } from "vitest";
import { RunningEntries } from "../../src/dispatch/running.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { AT, claimOne, keep, numberedEntry } from "../inbox/entries.ts";
import { gate } from "./sample.ts";

const LEASE = 1000;

describe("RunningEntries", () => {
  let inbox: ReturnType<typeof memoryInbox>;
  let running: RunningEntries;

  beforeEach(() => {
    inbox = memoryInbox();
    running = new RunningEntries();
  });

  /** An entry that is leased from a moment on, and runs. */
  const add = async (number: number, at = AT) => {
    const { seq } = await keep(inbox, numberedEntry(number));
    const entry = await claimOne(inbox, at, LEASE);
    const ended = gate();
    running.add(
      entry,
      ended.opened.then(() => undefined),
    );
    return { seq, end: ended.open };
  };

  it("[case 65] names what another claim may take: leases that ended, and leases of a clock that was set back", async () => {
    const { seq } = await add(1);
    const unsure = (now: number) => running.doubtfullyLeased(now, LEASE);
    expect(unsure(AT)).toEqual([]); // a lease just taken ends a lease's time from now
    expect(unsure(AT + LEASE - 1)).toEqual([]);
    expect(unsure(AT + LEASE)).toEqual([seq]);
    expect(unsure(AT - 1)).toEqual([seq]);
    expect(unsure(AT - 86_400_000)).toEqual([seq]);
  });

  it("knows an entry as leased until its lease ends", async () => {
    const { seq } = await add(1);
    expect(running.isLeased(seq, AT + LEASE - 1)).toBe(true);
    expect(running.isLeased(seq, AT + LEASE)).toBe(false);
    expect(running.isLeased(seq + 1, AT)).toBe(false);
    running.delete(seq);
    expect(running.isLeased(seq, AT)).toBe(false);
    expect(running.finished(seq)).toBeUndefined();
  });

  it("renews the leases that are still its own, and no other", async () => {
    const kept = await add(1);
    const lost = await add(2);
    await inbox.claim({ now: AT + LEASE, limit: 1, leaseMs: LEASE, only: lost.seq });
    await running.renew(inbox, AT + 5 * LEASE);
    expect(running.isLeased(kept.seq, AT + 5 * LEASE - 1)).toBe(true);
    expect(running.isLeased(lost.seq, AT + LEASE)).toBe(false);
    expect(await inbox.list({})).toMatchObject([{ runAt: AT + 5 * LEASE }, { runAt: AT + 2 * LEASE }]);
  });

  it("asks the inbox for nothing if nothing runs", async () => {
    const broken = { ...inbox, renew: () => Promise.reject(new Error("asked")) } as never;
    await expect(running.renew(broken, AT)).resolves.toBeUndefined();
  });

  it("is drained once all that ran have ended", async () => {
    const first = await add(1);
    const second = await add(2);
    let drained = false;
    const waiting = running.drained().then(() => {
      drained = true;
    });
    first.end();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(drained).toBe(false);
    second.end();
    await waiting;
  });
});
