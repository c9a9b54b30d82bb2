import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_TIMER } from "../../src/base/options/check-options.ts";
import { LATE, limitTime } from "../../src/dispatch/attempts/time-limits.ts";

describe("limitTime", () => {
  let shutdown: AbortController;

  beforeEach(() => {
    vi.useFakeTimers();
    shutdown = new AbortController();
  });

  afterEach(() => void vi.useRealTimers());

  const begin = (timeout = 1000) => {
    const run = { overdue: vi.fn(), stop: vi.fn() };
    return { ...run, ended: limitTime(run, timeout, shutdown.signal) };
  };

  it("reports a run as overdue when its time is over, not earlier", () => {
    const { overdue } = begin();
    vi.advanceTimersByTime(999 + LATE);
    expect(overdue).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(overdue).toHaveBeenCalledOnce();
  });

  it("takes the longest limit there is", () => {
    const { overdue } = begin(MAX_TIMER);
    vi.advanceTimersByTime(MAX_TIMER - 1);
    expect(overdue).not.toHaveBeenCalled();
  });

  it("shares one timer among runs that begin together, and reports only those that have not ended", () => {
    const runs = [begin(), begin(), begin()];
    expect(vi.getTimerCount()).toBe(1);
    runs[1]?.ended();
    vi.advanceTimersByTime(1000 + LATE);
    expect(runs.map(({ overdue }) => overdue.mock.calls.length)).toEqual([1, 0, 1]);
  });

  it("gives a run that begins later its whole time", () => {
    begin();
    vi.advanceTimersByTime(500);
    const later = begin();
    vi.advanceTimersByTime(999 + LATE);
    expect(later.overdue).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(later.overdue).toHaveBeenCalledOnce();
  });

  it("gives runs with other limits their own time", () => {
    const short = begin(10);
    const long = begin(1000);
    vi.advanceTimersByTime(10 + LATE);
    expect(short.overdue).toHaveBeenCalledOnce();
    expect(long.overdue).not.toHaveBeenCalled();
  });

  it("leaves no timer once all runs have ended, and starts a new one for the next", () => {
    const runs = [begin(), begin()];
    for (const { ended } of runs) ended();
    expect(vi.getTimerCount()).toBe(0);
    const { overdue } = begin();
    vi.advanceTimersByTime(1000 + LATE);
    expect(overdue).toHaveBeenCalledOnce();
  });

  it("starts a new timer for a run that begins when another one is overdue", () => {
    const next = vi.fn();
    const run = {
      overdue: () => void limitTime({ overdue: next, stop: () => {} }, 1000, shutdown.signal),
      stop: () => {},
    };
    limitTime(run, 1000, shutdown.signal);
    vi.advanceTimersByTime(1000 + LATE);
    expect(next).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000 + LATE);
    expect(next).toHaveBeenCalledOnce();
  });

  it("stops all runs that have not ended when the signal is aborted", () => {
    const runs = [begin(), begin(10), begin()];
    runs[0]?.ended();
    shutdown.abort("closing");
    expect(runs.map(({ stop }) => stop.mock.calls)).toEqual([[], [["closing"]], [["closing"]]]);
  });

  it("listens to the signal once for all runs, and no longer than they last", () => {
    const add = vi.spyOn(shutdown.signal, "addEventListener");
    const remove = vi.spyOn(shutdown.signal, "removeEventListener");
    const runs = [begin(), begin(5)];
    expect(add).toHaveBeenCalledOnce();
    for (const { ended } of runs) {
      expect(remove).not.toHaveBeenCalled();
      ended();
      ended();
    }
    expect(remove.mock.calls).toEqual(add.mock.calls);
  });
});
