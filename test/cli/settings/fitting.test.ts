import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { type OptionConflicts, resolveOptionConflicts } from "../../../src/cli/settings/fitting.ts";

interface Options {
  readonly goal?: string;
  readonly timeLimit?: number;
  readonly oldest?: boolean;
  readonly newest?: boolean;
  readonly via?: string;
  readonly house?: string;
  readonly address?: string;
  readonly key?: string;
}

const TABLE: OptionConflicts<Options> = {
  timeLimit: { needs: ["goal", "oldest"], why: "it is for a goal" },
  oldest: { excludes: ["newest"], why: "there is one end" },
  house: { needs: [{ flag: "via", is: "road" }] },
  address: {
    needs: [
      { flag: "via", is: "sea" },
      { flag: "via", is: undefined },
    ],
  },
  key: { needs: ["goal"], stays: true },
  goal: {
    check: ({ goal }) =>
      goal === "bad" ? "expected a goal, got a bad one: choose another" : undefined,
  },
};

/** The remaining options, given typed ones and settings. */
function left(typed: Options, settings: Options = {}, table = TABLE): Options {
  const command = new Command();
  for (const [name, value] of Object.entries(settings))
    command.setOptionValueWithSource(name, value, "env");
  for (const [name, value] of Object.entries(typed))
    command.setOptionValueWithSource(name, value, "cli");
  return resolveOptionConflicts({ ...settings, ...typed }, command, table);
}

const refusal = (message: string) => expect.objectContaining({ code: "usage", message });

describe("a flag that needs others", () => {
  it("is kept with one of them, typed or set", () => {
    for (const options of [
      { timeLimit: 5, goal: "x" },
      { timeLimit: 5, oldest: true },
    ])
      expect([left(options), left({}, options)]).toEqual([options, options]);
  });

  it.each<[Options, string]>([
    [
      { timeLimit: 5, oldest: false },
      "expected --goal or --oldest with --time-limit, got none: it is for a goal; add one, or remove --time-limit",
    ],
    [{ house: "7" }, "expected --via road with --house, got none: add it, or remove --house"],
    [
      { house: "7", via: "air" },
      "expected --via road with --house, got --via air: change it, or remove --house",
    ],
    [
      { address: "a", via: "air" },
      "expected --via sea or no --via with --address, got --via air: change it, or remove --address",
    ],
    [{ key: "k" }, "expected --goal with --key, got none: add it, or remove --key"],
  ])("is refused without them when it was typed: %j", (typed, message) => {
    expect(() => left(typed)).toThrow(refusal(message));
  });

  it("is dropped without them when it is a setting, unless it is one that stays", () => {
    const settings = { timeLimit: 5, house: "7", address: "a" };
    expect(left({ via: "air" }, settings)).toEqual({ via: "air" });
    expect(left({}, { key: "k" })).toEqual({ key: "k" });
  });

  it("overrides a setting whose absence it needs", () => {
    expect(left({ address: "a" }, { via: "air", house: "7" })).toEqual({ address: "a" });
    expect(left({ address: "a" }, { via: "sea" })).toEqual({ address: "a", via: "sea" });
    expect(left({}, { address: "a", via: "air" })).toEqual({ via: "air" });
  });

  it("does nothing while it is off", () => {
    const off = { newest: false, via: "air" };
    const table: OptionConflicts<Options> = {
      newest: { needs: [{ flag: "via", is: undefined }, "goal"] },
    };
    expect(left({ newest: false }, { via: "air" }, table)).toEqual(off);
    expect(left({}, off, table)).toEqual(off);
  });
});

describe("a flag that excludes another", () => {
  const both = { oldest: true, newest: true };

  it("is refused if both were typed, or both are settings, and fits one that is off", () => {
    const refused = refusal(
      "expected --oldest or --newest, got both: there is one end; remove one",
    );
    expect(() => left(both)).toThrow(refused);
    expect(() => left({}, both)).toThrow(refused);
    expect(left({ ...both, newest: false })).toEqual({ ...both, newest: false });
  });

  it("overrides a setting if it was typed, and is dropped for a typed flag if it is the setting", () => {
    expect(left({ oldest: true }, { newest: true })).toEqual({ oldest: true });
    expect(left({ newest: true }, { oldest: true })).toEqual({ newest: true });
  });

  it("is refused with a setting that stays", () => {
    const table = { oldest: { excludes: ["newest"] }, newest: { stays: true } } as const;
    expect(() => left({ oldest: true }, { newest: true }, table)).toThrow(
      refusal("expected --oldest or --newest, got both: remove one"),
    );
    expect(left({ newest: true }, { oldest: true }, table)).toEqual({ newest: true });
  });

  it("does not contradict a setting that is dropped for another reason", () => {
    const table: OptionConflicts<Options> = {
      oldest: { excludes: ["newest"], needs: ["goal"] },
      newest: { excludes: ["via"] },
      via: { excludes: ["oldest"] },
    };
    expect(left({}, both, table)).toEqual({ newest: true });
    const goal = "g";
    expect(left({ via: "x" }, { ...both, goal }, table)).toEqual({ via: "x", goal });
  });
});

it("a value that does not fit is refused, whether typed or set", () => {
  const bad = refusal("expected a goal, got a bad one: choose another");
  expect(() => left({ goal: "bad" })).toThrow(bad);
  expect(() => left({}, { goal: "bad" })).toThrow(bad);
});
