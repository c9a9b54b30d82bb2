import { expect, it } from "vitest";
import { OwnSignal } from "../../src/dispatch/own-signal.ts";

it("gives one signal, however often it is looked at", () => {
  const own = new OwnSignal();
  expect(own.signal).toBe(own.signal);
  expect(own.signal.aborted).toBe(false);
  expect(own.reason).toBeUndefined();
});

it.each([
  ["before it is aborted", true],
  ["only afterwards", false],
])("is aborted with the first reason, looked at %s", (_, before) => {
  const own = new OwnSignal();
  const told: unknown[] = [];
  if (before) own.signal.addEventListener("abort", () => told.push(own.signal.reason));
  own.abort("first");
  own.abort("second");
  expect(own.signal).toMatchObject({ aborted: true, reason: "first" });
  expect(own.reason).toBe("first");
  expect(told).toEqual(before ? ["first"] : []);
});
