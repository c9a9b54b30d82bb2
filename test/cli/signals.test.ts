import { constants } from "node:os";
import { expect, it } from "vitest";
import { canSuspend, onStopSignal } from "../../src/cli/signals.ts";

it("each signal to stop reaches the listener, Ctrl-Break as Ctrl-C, until it is unsubscribed", () => {
  const heard: string[] = [];
  const before = process.listenerCount("SIGBREAK");
  const off = onStopSignal((signal) => heard.push(signal));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const) {
    // The last listener: others of this process must not hear of it.
    process.listeners(signal).at(-1)?.call(process, signal);
  }
  expect(heard).toEqual(["SIGINT", "SIGTERM", "SIGHUP", "SIGINT"]);
  off();
  expect(process.listenerCount("SIGBREAK")).toBe(before);
});

it("Ctrl-Z stops a job only where the system has a signal for it", () => {
  expect(canSuspend(constants.signals)).toBe(process.platform !== "win32");
  expect(canSuspend({ SIGINT: 2, SIGBREAK: 21 })).toBe(false); // Windows
});
