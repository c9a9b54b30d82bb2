import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { GRACE, stopRunOnSignal } from "../../../src/cli/send/interrupt.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run, what it was told, and a way to send it signals. */
function run() {
  let listener: ((signal: "SIGINT" | "SIGTERM") => void) | undefined;
  const off = vi.fn(() => {
    listener = undefined;
  });
  const onSignal = (given: typeof listener) => {
    listener = given;
    return off;
  };
  const stop = vi.fn();
  const cut = vi.fn();
  const onEnd = vi.fn();
  const exit = vi.fn();
  const interrupt = stopRunOnSignal({ io: { onSignal, exit } } as never, { stop, cut, onEnd });
  return {
    interrupt,
    stop,
    cut,
    onEnd,
    exit,
    off,
    signal: (name: "SIGINT" | "SIGTERM") => listener?.(name),
  };
}

const BY_SIGINT = { reason: "stopped by SIGINT", exitCode: 130 };

it("the first signal begins nothing more, and ends what has begun after two seconds", () => {
  const { interrupt, stop, cut, onEnd, exit, signal } = run();
  expect(interrupt.reason).toBeUndefined();
  signal("SIGINT");
  expect(interrupt.reason).toEqual(BY_SIGINT);
  expect(stop).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(GRACE - 1);
  expect(cut).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(cut).toHaveBeenCalledExactlyOnceWith(BY_SIGINT);
  expect([onEnd, exit].flatMap(({ mock }) => mock.calls)).toEqual([]);
});

it("a second signal ends the process at once, with the exit code of the second", () => {
  const { interrupt, stop, onEnd, exit, signal } = run();
  signal("SIGINT");
  signal("SIGTERM");
  expect(onEnd).toHaveBeenCalledExactlyOnceWith({
    reason: "stopped at once by SIGTERM",
    exitCode: 143,
  });
  expect(exit).toHaveBeenCalledExactlyOnceWith(143);
  expect(stop).toHaveBeenCalledOnce();
  expect(interrupt.reason).toEqual(BY_SIGINT);
});

it("a run that has ended is cut no more, and signals are no longer its own", () => {
  const { interrupt, cut, off, signal } = run();
  signal("SIGTERM");
  interrupt.done();
  vi.advanceTimersByTime(10 * GRACE);
  expect(cut).not.toHaveBeenCalled();
  expect(off).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});
