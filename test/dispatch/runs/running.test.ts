import { beforeEach, describe, expect, it } from "vitest";
import { RunningEntries } from "../../../src/dispatch/runs/running.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { AT, claimOne, keep, numberedEntry } from "../../inbox/entries.ts";
import { gate } from "../sample.ts";

const LEASE = 1000;

describe("RunningEntries", () => {
  let inbox: ReturnType<typeof memoryInbox>;
  let running: RunningEntries;

  beforeEach(() => {
    inbox = memoryInbox();
    running = new RunningEntries();
  });

  /** A running entry, leased from a given time. */
  const add = async (number: number, at = AT) => {
    const { seq } = await keep(inbox, numberedEntry(number));
    const entry = await claimOne(inbox, at, LEASE);
    const ended = gate();
    const finished = ended.opened.then(() => undefined);
    const link = running.add({
      entry,
      finished,
      hasBegun: false,
      hasRun: false,
      leasedUntil: entry.runAt,
    });
    return { seq, end: ended.open, remove: () => running.remove(link) };
  };

  it("[case 65] lists what another claim may take: expired leases, and leases from before the clock was set back", async () => {
    const { seq } = await add(1);
    const unsure = (now: number) => running.leasesInDoubt(now, LEASE);
    expect(unsure(AT)).toEqual([]); // a new lease ends one lease length from now
    expect(unsure(AT + LEASE - 1)).toEqual([]);
    expect(unsure(AT + LEASE)).toEqual([seq]);
    expect(unsure(AT - 1)).toEqual([seq]);
    expect(unsure(AT - 86_400_000)).toEqual([seq]);
  });

  it("reports an entry as leased until its lease expires", async () => {
    const { seq, remove } = await add(1);
    expect(running.isLeased(seq, AT + LEASE - 1)).toBe(true);
    expect(running.isLeased(seq, AT + LEASE)).toBe(false);
    expect(running.isLeased(seq + 1, AT)).toBe(false);
    remove();
    expect(running.isLeased(seq, AT)).toBe(false);
    expect(running.findBySeq(seq)).toBeUndefined();
  });

  it("renews only the leases it still owns", async () => {
    const kept = await add(1);
    const lost = await add(2);
    await inbox.claim({ now: AT + LEASE, limit: 1, leaseTime: LEASE, only: lost.seq });
    await running.renew(inbox, AT + 5 * LEASE);
    expect(running.isLeased(kept.seq, AT + 5 * LEASE - 1)).toBe(true);
    expect(running.isLeased(lost.seq, AT + LEASE)).toBe(false);
    expect(await inbox.list({})).toMatchObject([
      { runAt: AT + 5 * LEASE },
      { runAt: AT + 2 * LEASE },
    ]);
  });

  it("does not call the inbox if nothing runs", async () => {
    const broken = { ...inbox, renew: () => Promise.reject(new Error("asked")) } as never;
    await expect(running.renew(broken, AT)).resolves.toBeUndefined();
  });

  it("is drained once all running entries have ended", async () => {
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
