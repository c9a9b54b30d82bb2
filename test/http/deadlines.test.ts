import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Deadlines } from "../../src/http/deadlines.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Deadlines of 100 ms, and what was called when. */
function open() {
  const called: [string, number][] = [];
  const start = performance.now();
  const call = (name: string) => () => void called.push([name, Math.round(performance.now() - start)]);
  return { deadlines: new Deadlines(100), called, call };
}

it("calls each when its own time is over, however they overlap", () => {
  const { deadlines, called, call } = open();
  deadlines.add(call("a"));
  vi.advanceTimersByTime(40);
  deadlines.add(call("b"));
  deadlines.add(call("c"));
  vi.advanceTimersByTime(200);
  expect(called).toEqual([
    ["a", 100],
    ["b", 140],
    ["c", 140],
  ]);
});

it("does not call what was called off, and serves those after it", () => {
  const { deadlines, called, call } = open();
  const a = call("a");
  deadlines.add(a);
  vi.advanceTimersByTime(60);
  deadlines.callOff(a);
  deadlines.add(call("b"));
  vi.advanceTimersByTime(500);
  expect(called).toEqual([["b", 160]]);
});

it("has one timer for all of them, and none once nothing is waited for", () => {
  const { deadlines, call } = open();
  const calls = ["a", "b", "c"].map(call);
  for (const one of calls) deadlines.add(one);
  expect(vi.getTimerCount()).toBe(1);
  for (const one of calls) deadlines.callOff(one);
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(0);
});

it("lets a call begin again when it is called, beside others", () => {
  const { deadlines, called, call } = open();
  const again = call("again");
  let times = 0;
  const repeat = () => {
    again();
    if (++times < 3) deadlines.add(repeat);
  };
  deadlines.add(repeat);
  vi.advanceTimersByTime(60);
  deadlines.add(call("other"));
  vi.advanceTimersByTime(50);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(500);
  expect(called).toEqual([
    ["again", 100],
    ["other", 160],
    ["again", 200],
    ["again", 300],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
