import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { settleAgain } from "../../../src/dispatch/runs/settle-again.ts";
import { HookporterError } from "../../../src/entries/index.ts";
import { AT, settlementOf } from "../../inbox/entries.ts";

const SETTLEMENT = settlementOf({ seq: 7, lease: "lease-1" });

describe("settleAgain", () => {
  let leased: boolean;
  let aborter: AbortController;
  let stopper: AbortController;
  let damage: HookporterError | undefined;
  const settle = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers();
    leased = true;
    aborter = new AbortController();
    stopper = new AbortController();
    damage = undefined;
    settle.mockReset().mockRejectedValue(new Error("disk full"));
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  const store = () =>
    settleAgain(
      SETTLEMENT,
      {
        inbox: {
          settle,
          get damage() {
            return damage;
          },
        },
        clock: () => AT,
        isLeased: (seq) => seq === SETTLEMENT.seq && leased,
        stopping: stopper.signal,
        signal: aborter.signal,
      },
      new Error("disk full"),
    );

  it.each([true, false])("returns %s as the inbox does, after a wait", async (stored) => {
    settle.mockReset().mockResolvedValue(stored);
    const storing = store();
    await vi.advanceTimersByTimeAsync(50);
    expect(await storing).toBe(stored);
    expect(settle.mock.calls).toEqual([[SETTLEMENT, AT]]);
  });

  it("tries again after waits that double up to a second", async () => {
    const storing = store();
    const counts: number[] = [];
    for (const wait of [49, 1, 99, 1, 200, 400, 800, 999, 1, 999, 1]) {
      await vi.advanceTimersByTimeAsync(wait);
      counts.push(settle.mock.calls.length);
    }
    expect(counts).toEqual([0, 1, 1, 2, 3, 4, 5, 5, 6, 6, 7]);
    settle.mockResolvedValue(true);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await storing).toBe(true);
  });

  it("rejects with the store's error once the lease has ended", async () => {
    const storing = expect(store()).rejects.toThrow("disk full");
    await vi.advanceTimersByTimeAsync(0);
    leased = false;
    await vi.advanceTimersByTimeAsync(50);
    await storing;
    expect(settle).toHaveBeenCalledTimes(1);
  });

  it("does not wait for a damaged store once the receiver closes, and waits for a busy one", async () => {
    const storing = expect(store()).rejects.toThrow("disk full");
    damage = new HookporterError("inbox_unavailable", "the file was removed");
    await vi.advanceTimersByTimeAsync(5000);
    damage = undefined;
    stopper.abort();
    await vi.advanceTimersByTimeAsync(5000);
    const before = settle.mock.calls.length;
    damage = new HookporterError("inbox_unavailable", "the file was removed");
    await vi.advanceTimersByTimeAsync(1000);
    await storing;
    expect(settle).toHaveBeenCalledTimes(before + 1);
  });

  it("ends its wait when it is aborted, tries once more, and leaves neither timer nor listener", async () => {
    const add = vi.spyOn(aborter.signal, "addEventListener");
    const remove = vi.spyOn(aborter.signal, "removeEventListener");
    const storing = expect(store()).rejects.toThrow("disk full");
    await vi.advanceTimersByTimeAsync(60);
    aborter.abort();
    await storing;
    expect(settle).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
    expect(add).toHaveBeenCalledTimes(2);
    expect(remove.mock.calls.map((call) => call.slice(0, 2))).toEqual(
      add.mock.calls.map((call) => call.slice(0, 2)),
    );
  });
});
