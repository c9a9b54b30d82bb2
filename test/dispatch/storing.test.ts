import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HookporterError } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { gate, until } from "../receiver/sample.ts";
import { openRuns, sharedInbox, storedEntry } from "./open.ts";

const FULL = () => Promise.reject(new Error("disk full"));

let inbox: Inbox;
let ran: number;

beforeEach(() => {
  inbox = sharedInbox();
  ran = 0;
});

const handlers = { a: () => void ran++ };

describe("a result that cannot be stored", () => {
  it("[case 67] is stored later, and the entry does not run again", async () => {
    const renew = inbox.renew.bind(inbox);
    const settle = inbox.settle.bind(inbox);
    // The clock goes on with each renewal, and the store fails for longer than a lease lasts: only
    // renewal keeps the entry from being claimed again.
    let now = Date.now() + 1000; // ahead of the entry, which is then due
    let renewals = 0;
    vi.spyOn(inbox, "renew").mockImplementation(async (...given) => {
      const lost = await renew(...given);
      now += 400;
      renewals++;
      return lost;
    });
    vi.spyOn(inbox, "settle").mockImplementation((...given) =>
      renewals < 4 ? FULL() : settle(...given),
    );
    await inbox.append(storedEntry(1));
    const opened = await openRuns(handlers, { lease: 600, clock: () => now }, inbox);
    await opened.untilState("handled");
    await until(() => expect(opened.attempts()).toHaveLength(1));
    expect(ran).toBe(1);
    expect(opened.lines).toEqual([]);
  });

  it("[case 67] while the lease is valid is discarded, and the entry runs again", async () => {
    const settle = vi.spyOn(inbox, "settle").mockImplementation(FULL);
    const renew = vi.spyOn(inbox, "renew").mockImplementation(FULL);
    const opened = await openRuns(handlers, { lease: 60 }, inbox);
    await opened.deliver(1);
    await until(() => expect(ran).toBeGreaterThan(1));
    const lost = { level: "error", fields: { seq: 1, error: "disk full" } };
    const notRenewed = { level: "error", fields: { error: "disk full" } };
    for (const line of [lost, notRenewed])
      await until(() => expect(opened.lines).toContainEqual(expect.objectContaining(line)));
    settle.mockRestore();
    renew.mockRestore();
    await opened.untilState("handled");
  });

  it("since its lease was lost is refused, and the entry runs again by a claim", async () => {
    vi.spyOn(inbox, "settle").mockResolvedValueOnce(false);
    const opened = await openRuns(handlers, { lease: 60, poll: 60_000 }, inbox);
    await opened.deliver(1);
    await opened.untilState("handled");
    expect(ran).toBe(2);
    expect(opened.lines).toMatchObject([{ level: "warn", fields: { seq: 1 } }]);
  });

  it("does not end a receiver's handlers if only leases cannot be renewed", async () => {
    vi.spyOn(inbox, "renew").mockImplementation(FULL);
    const slow = gate();
    const opened = await openRuns({ a: () => slow.opened }, { lease: 60 }, inbox);
    await opened.deliver(1);
    await until(() => expect(opened.lines.length).toBeGreaterThan(0));
    slow.open();
    await opened.untilState("handled");
  });

  describe("is tried again", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    /** Runs an event whose result is not stored at first. */
    const failing = async (drainTimeout = 0) => {
      const settle = vi.spyOn(inbox, "settle").mockImplementation(FULL);
      const opened = await openRuns(
        handlers,
        { lease: 600_000, poll: 600_000, drainTimeout },
        inbox,
      );
      await opened.deliver(1);
      while (settle.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(0);
      settle.mockClear();
      return { ...opened, settle };
    };

    it("after waits that double from 50 ms up to a second", async () => {
      const { settle, entry } = await failing();
      const counts: number[] = [];
      for (const wait of [49, 1, 99, 1, 200, 400, 800, 999, 1, 999, 1]) {
        await vi.advanceTimersByTimeAsync(wait);
        counts.push(settle.mock.calls.length);
      }
      expect(counts).toEqual([0, 1, 1, 2, 3, 4, 5, 5, 6, 6, 7]);
      settle.mockRestore();
      await vi.advanceTimersByTimeAsync(1000);
      expect(await entry()).toMatchObject({ state: "handled" });
      expect(ran).toBe(1);
    });

    it("until a shutdown no longer waits, and once more then", async () => {
      const { settle, receiver, states } = await failing();
      await vi.advanceTimersByTimeAsync(60);
      const closing = receiver.close();
      await vi.advanceTimersByTimeAsync(0);
      await closing;
      expect(settle).toHaveBeenCalledTimes(2);
      expect(await states()).toEqual(["running"]);
      expect(vi.getTimerCount()).toBe(0);
    });

    it("while a shutdown waits, but not for a store that is damaged", async () => {
      const { settle, receiver } = await failing(600_000);
      const damage = new HookporterError("inbox_unavailable", "the file was removed");
      Object.defineProperty(inbox, "damage", { configurable: true, get: () => damage });
      await vi.advanceTimersByTimeAsync(5000);
      Object.defineProperty(inbox, "damage", { configurable: true, get: () => undefined });
      const closed = vi.fn();
      const closing = receiver.close().then(closed);
      await vi.advanceTimersByTimeAsync(5000);
      const before = settle.mock.calls.length;
      expect(before).toBeGreaterThan(8);
      expect(closed).not.toHaveBeenCalled();
      Object.defineProperty(inbox, "damage", { configurable: true, get: () => damage });
      await vi.advanceTimersByTimeAsync(1000);
      await closing;
      expect(settle).toHaveBeenCalledTimes(before + 1);
    });
  });
});
