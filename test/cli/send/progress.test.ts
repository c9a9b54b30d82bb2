import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { progressLine, startProgress } from "../../../src/cli/send/progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const terminal = (columns?: number) => ({ stderr: { columns } as never });

function start(steps: number, isTerminal = true) {
  const status = vi.fn((_line: string | undefined) => isTerminal);
  const context = { output: { status }, io: terminal(80) } as never;
  return { progress: startProgress(steps, context), status };
}

it.each([
  [0, "────────────────────────────────────────", "0 %  0 of 700"],
  [417, "████████████████████████────────────────", "59 %  417 of 700"],
  [700, "████████████████████████████████████████", "100 %  700 of 700"],
])("after %i of 700 steps the bar is as long as their share", (done, bar, text) => {
  expect(progressLine(done, 700, terminal(80))).toBe(`${bar} ${text}`);
});

it.each([
  [undefined, 57],
  [0, 57],
  [30, 29],
  [22, 21],
  [21, 15],
])("in %s columns the line takes %i", (columns, length) => {
  const line = progressLine(50, 100, terminal(columns), columns ? "" : "!");
  expect(line).toHaveLength(length);
});

it("is drawn at most ten times a second, and removed at the end", () => {
  const { progress, status } = start(20);
  expect([progress.shown, status.mock.calls.length]).toEqual([true, 1]);
  const advanceAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    progress.advance();
    return status.mock.calls.length;
  };
  expect([advanceAfter(99), advanceAfter(1)]).toEqual([1, 2]);
  expect(status.mock.lastCall?.[0]).toMatch(/10 % {2}2 of 20$/);
  expect(advanceAfter(99)).toBe(2);
  progress.end();
  expect(status.mock.lastCall).toEqual([undefined]);
});

it.each([
  [19, true],
  [20, false],
])("is not shown for a short run, or to no terminal (%i steps)", (steps, isTerminal) => {
  const { progress, status } = start(steps, isTerminal);
  expect(progress.shown).toBe(false);
  const drawn = status.mock.calls.length;
  vi.advanceTimersByTime(1000);
  progress.advance();
  expect(status).toHaveBeenCalledTimes(drawn);
});
