import { expect, it, onTestFinished, vi } from "vitest";
import { Listeners } from "../../src/base/listeners.ts";
import { callUser, numberFrom, reportTo } from "../../src/base/user-calls.ts";
import { keptLog, uncaught, until } from "../receiver/sample.ts";

it("failures of a function are logged with its name, at first and then once a minute", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = keptLog();
  const report = reportTo(log, "drift");
  for (let time = 0; time < 3; time++) report(new Error("mine"));
  vi.advanceTimersByTime(60_001);
  report("later");
  expect(lines).toMatchObject([
    { level: "error", fields: { error: "mine" }, message: "drift failed" },
    { level: "error", fields: { error: "later", unlogged: 2 }, message: "drift failed" },
  ]);
});

it("a function whose result nobody waits for may throw or reject", async () => {
  const caught = uncaught();
  const report = vi.fn();
  const calls = [
    () => {
      throw new Error("at once");
    },
    async () => {
      throw new Error("later");
    },
  ];
  for (const call of calls) callUser(call, report);
  callUser(() => "sound", report);
  await until(() => expect(report).toHaveBeenCalledTimes(2));
  expect(report.mock.calls.map(([thrown]) => thrown.message).toSorted()).toEqual([
    "at once",
    "later",
  ]);
  expect(caught).toEqual([]);
});

it.each<[string, () => unknown, number]>([
  ["returns a number", () => 7, 7],
  [
    "throws",
    () => {
      throw new Error("mine");
    },
    1,
  ],
  ["returns NaN", () => Number.NaN, 1],
  ["returns a text", () => "7", 1],
  ["returns a promise that rejects", () => Promise.reject(new Error("mine")), 1],
])("a number is read from a function that %s, or from another one", async (_, call, expected) => {
  const caught = uncaught();
  const report = vi.fn();
  expect(numberFrom(call, () => 1, report)()).toBe(expected);
  expect(report).toHaveBeenCalledTimes(expected === 1 ? 1 : 0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(caught).toEqual([]);
});

it("listeners are called until they are removed", () => {
  const listeners = new Listeners<number>("observe", keptLog().log);
  const heard: string[] = [];
  const leave = listeners.add((event) => heard.push(`a${event}`));
  listeners.add((event) => heard.push(`b${event}`));
  listeners.notify(1);
  leave();
  listeners.notify(2);
  expect(heard).toEqual(["a1", "b1", "b2"]);
});

it("an error of a listener is logged once a minute, with its name, and the other listeners are called", async () => {
  const { log, lines } = keptLog();
  const caught = uncaught();
  const listeners = new Listeners<number>("observe", log);
  const heard: number[] = [];
  listeners.add(() => {
    throw new Error("at once");
  });
  listeners.add(async () => {
    throw new Error("later");
  });
  listeners.add((event) => heard.push(event));
  listeners.notify(7);
  listeners.notify(8);
  expect(heard).toEqual([7, 8]);
  await until(() =>
    expect(lines).toEqual([
      { level: "error", fields: { error: "at once" }, message: "a listener of observe failed" },
      { level: "error", fields: { error: "later" }, message: "a listener of observe failed" },
    ]),
  );
  expect(caught).toEqual([]);
});
