import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Deadlines } from "../../src/http/deadlines.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Deadlines of 100 ms, and the callbacks called so far. */
function open() {
  const called: [string, number][] = [];
  const start = performance.now();
  const call = (name: string) => () =>
    void called.push([name, Math.round(performance.now() - start)]);
  return { deadlines: new Deadlines(100), called, call };
}

it("each deadline expires on time, even if deadlines overlap", () => {
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

it("a cancelled deadline does not expire, and later ones do", () => {
  const { deadlines, called, call } = open();
  const a = deadlines.add(call("a"));
  vi.advanceTimersByTime(60);
  deadlines.callOff(a);
  deadlines.add(call("b"));
  vi.advanceTimersByTime(500);
  expect(called).toEqual([["b", 160]]);
});

it("all deadlines share one timer, and there is none without deadlines", () => {
  const { deadlines, call } = open();
  const added = ["a", "b", "c"].map((name) => deadlines.add(call(name)));
  expect(vi.getTimerCount()).toBe(1);
  for (const deadline of added) deadlines.callOff(deadline);
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(0);
});

it("a callback can add its deadline again while others are pending", () => {
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
