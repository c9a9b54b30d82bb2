import { expect, it } from "vitest";
import { OwnSignal } from "../../../src/dispatch/runs/handler-context.ts";

it("the signal is always the same object", () => {
  const own = new OwnSignal();
  expect(own.signal).toBe(own.signal);
  expect(own.signal.aborted).toBe(false);
  expect(own.reason).toBeUndefined();
});

it.each([
  ["before the abort", true],
  ["after the abort", false],
])("the signal is aborted with the first reason, if first accessed %s", (_, before) => {
  const own = new OwnSignal();
  const seen: unknown[] = [];
  if (before) own.signal.addEventListener("abort", () => seen.push(own.signal.reason));
  own.abort("first");
  own.abort("second");
  expect(own.signal).toMatchObject({ aborted: true, reason: "first" });
  expect(own.reason).toBe("first");
  expect(seen).toEqual(before ? ["first"] : []);
});
