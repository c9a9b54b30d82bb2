import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runBudget } from "../../../src/dispatch/runs/run-budget.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

function open(budgetMs: number, handlerTimeout: number) {
  const stopper = new AbortController();
  const closer = new AbortController();
  const budget = runBudget({
    budgetMs,
    handlerTimeout,
    stopping: stopper.signal,
    closing: closer.signal,
  });
  return { budget, stopper, closer };
}

it("keeps up to a second to claim entries, and as long to store results", async () => {
  const { budget } = open(40_000, 30_000);
  await vi.advanceTimersByTimeAsync(9000);
  expect(budget.fits()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(budget.fits()).toBe(false);
  await vi.advanceTimersByTimeAsync(29_998);
  expect(budget.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(budget.signal.reason).toMatchObject({
    code: "closed",
    message: expect.stringContaining("40000 ms"),
  });
});

it("can be short, if the time limit of handlers is", () => {
  expect(open(100, 80).budget.fits()).toBe(true);
  expect(() => open(100, 81)).toThrow(expect.objectContaining({ code: "option_invalid" }));
  expect(() => open(31_999, 30_000)).toThrow(/at least 32000 ms, .* got 31999 ms/);
});

it("starts nothing more once a shutdown begins, and is aborted when that no longer waits", async () => {
  const { budget, stopper, closer } = open(1000, 10);
  stopper.abort();
  await budget.closed;
  expect([budget.fits(), budget.signal.aborted]).toEqual([false, false]);
  closer.abort(new Error("bye"));
  expect(budget.signal.reason).toEqual(new Error("bye"));
});

it("leaves no timer when it is ended", () => {
  const { budget } = open(1000, 10);
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  budget.end();
  expect(vi.getTimerCount()).toBe(0);
});
