import { expect, it, onTestFinished, vi } from "vitest";
import { stopRunOnSignal } from "../../../src/cli/send/interrupt.ts";

/** A run, what it was told, and a way to send it signals. */
function run() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let listener: ((signal: "SIGINT" | "SIGTERM") => void) | undefined;
  const onSignal = (given: typeof listener) => {
    listener = given;
    return () => {
      listener = undefined;
    };
  };
  const told = { stop: vi.fn(), cut: vi.fn(), onEnd: vi.fn() };
  const exit = vi.fn();
  const interrupt = stopRunOnSignal({ io: { onSignal, exit } } as never, told);
  const signal = (name: "SIGINT" | "SIGTERM") => listener?.(name);
  return { interrupt, ...told, exit, signal, isWatched: () => listener !== undefined };
}

const BY_SIGINT = { reason: "stopped by SIGINT", exitCode: 130 };

it("a second signal ends the process with its exit code, and a run that has ended is cut no more", () => {
  const { interrupt, stop, cut, onEnd, exit, signal, isWatched } = run();
  signal("SIGINT");
  signal("SIGTERM");
  const second = { reason: "stopped at once by SIGTERM", exitCode: 143 };
  expect(onEnd).toHaveBeenCalledExactlyOnceWith(second);
  expect(exit).toHaveBeenCalledExactlyOnceWith(143);
  expect(stop).toHaveBeenCalledOnce();
  expect(interrupt.reason).toEqual(BY_SIGINT);
  interrupt.done();
  expect([isWatched(), vi.getTimerCount()]).toEqual([false, 0]);
  expect(cut).not.toHaveBeenCalled();
});
