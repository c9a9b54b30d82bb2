import { describe, expect, it } from "vitest";
import { HookporterError } from "../../src/entries/index.ts";
import { closed, notReady, type Phase } from "../../src/receiver/not-ready.ts";

describe("notReady", () => {
  it.each<[Phase, string | undefined, string, string]>([
    [
      "new",
      undefined,
      "closed",
      "expected a started receiver, got one that was not started: call start() first",
    ],
    ["starting", undefined, "closed", "call start() first"],
    ["starting", "a page is damaged", "closed", "call start() first"],
    [
      "closed",
      undefined,
      "closed",
      "expected an open receiver, got a closed one: create a new receiver",
    ],
    ["closed", "a page is damaged", "closed", "expected an open receiver"],
    ["started", "a page is damaged", "inbox_corrupt", "a page is damaged"],
  ])(
    "says for a receiver that is %s, with the damage %j, that it is %s",
    (phase, damage, code, message) => {
      const error = notReady(
        phase,
        damage === undefined ? undefined : new HookporterError("inbox_corrupt", damage),
      );
      expect(error).toBeInstanceOf(HookporterError);
      expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    },
  );
});

describe("closed", () => {
  it("says what was expected, what it got and how to fix it", () => {
    expect(closed("one call", "two").message).toBe(
      "expected one call, got two: create a new receiver",
    );
    expect(closed("one call", "two", "call it once").message).toMatch(/: call it once$/);
  });
});
