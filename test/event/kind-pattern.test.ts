import { describe, expect, it } from "vitest";
import { eventKinds } from "../../src/entries/index.ts";
import { checkEventKind, checkKindPattern, matchesKind } from "../../src/event/kind-pattern.ts";

describe("matchesKind", () => {
  it.each([
    ["property.created", "property.created"],
    ["property.*", "property.created"],
    ["property.*", "property.a.b"],
    ["*", "property.created"],
    ["*", ""],
  ])("%s matches %j", (pattern, kind) => {
    expect(matchesKind(pattern, kind)).toBe(true);
  });

  it.each([
    ["property.created", "property.updated"],
    ["property.*", "property"],
    ["property.*", "propertyx.created"],
    ["property.*", "Property.created"],
    ["property.*", "my.property.created"],
    ["property", "property.created"],
    ["prop*", "property.created"],
    ["", "property.created"],
  ])("%j does not match %j", (pattern, kind) => {
    expect(matchesKind(pattern, kind)).toBe(false);
  });
});

describe("checkKindPattern", () => {
  it("says what it got and which kinds there are", () => {
    expect(() => checkKindPattern("payment.receive")).toThrow(
      '"payment.receive": did you mean payment.received?',
    );
    expect(() => checkKindPattern("visits")).toThrow(
      `"visits": the kinds are ${eventKinds.join(", ")}`,
    );
  });

  it.each(["*", "property.*", "deal.*", ...eventKinds])("accepts %s", (pattern) => {
    expect(() => checkKindPattern(pattern)).not.toThrow();
  });

  it.each([
    "propertie.created",
    "property.create",
    "property",
    "property.",
    "prop.*",
    "**",
    "*.created",
    ".*",
    "*.*",
    "property.**",
    "property.* ",
    "property .*",
    "",
    " ",
    " property.created",
    "property.created ",
    "Property.created",
    "__proto__",
    "toString",
  ])("refuses %j, which matches no kind", (pattern) => {
    expect(() => checkKindPattern(pattern)).toThrow(
      expect.objectContaining({ code: "option_invalid" }),
    );
  });
});

describe("checkEventKind", () => {
  it.each(eventKinds)("accepts %s", (kind) => {
    expect(() => checkEventKind(kind)).not.toThrow();
  });

  it.each<[unknown, string]>([
    ["payment.receive", '"payment.receive": did you mean payment.received?'],
    ["visits", `"visits": the kinds are ${eventKinds.join(", ")}`],
    ["property.*", '"property.*": '],
    ["", '"": '],
    [undefined, "undefined: the kinds are"],
    [["property.created"], "an array: the kinds are"],
    [7, "7: the kinds are"],
  ])("refuses %j", (kind, got) => {
    expect(() => checkEventKind(kind)).toThrow(
      expect.objectContaining({
        code: "option_invalid",
        message: expect.stringContaining(`expected an event kind, got ${got}`),
      }),
    );
  });
});
