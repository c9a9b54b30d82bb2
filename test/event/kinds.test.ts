import { describe, expect, it } from "vitest";
import { eventKinds, isEventKind } from "../../src/entries/index.ts";
import { checkEventKind, checkKindPattern, matchesKind } from "../../src/event/kind-pattern.ts";

describe("event kinds", () => {
  it("are the 12 of the service description, in its order", () => {
    expect(eventKinds).toEqual([
      "property.created",
      "property.updated",
      "property.deleted",
      "tenant.created",
      "tenant.updated",
      "lease.expired",
      "payment.received",
      "payment.overdue",
      "expense.created",
      "lead.created",
      "deal.status_changed",
      "contact.created",
    ]);
  });
});

describe("matchesKind", () => {
  it.each([
    ["property.created", "property.created", true],
    ["property.*", "property.created", true],
    ["property.*", "property.a.b", true],
    ["*", "property.created", true],
    ["*", "", true],
    ["property.created", "property.updated", false],
    ["property.*", "property", false],
    ["property.*", "propertyx.created", false],
    ["property.*", "Property.created", false],
    ["property.*", "my.property.created", false],
    ["property", "property.created", false],
    ["prop*", "property.created", false],
    ["", "property.created", false],
  ])("%s matches %j: %s", (pattern, kind, does) => {
    expect(matchesKind(pattern, kind)).toBe(does);
  });
});

describe("checkKindPattern", () => {
  it.each(["*", "property.*", "deal.*", ...eventKinds])("accepts %s", (pattern) => {
    expect(() => checkKindPattern(pattern)).not.toThrow();
  });

  it.each([
    "propertie.created",
    "property.create",
    "property",
    "prop.*",
    "**",
    "*.created",
    ".*",
    "property.**",
    "property.* ",
    "property .*",
    "",
    " property.created",
    "Property.created",
    "__proto__",
    "toString",
  ])("refuses %j, which matches no kind", (pattern) => {
    const message = expect.stringMatching(/did you mean [a-z.]+\?|the kinds are property\.created/);
    expect(() => checkKindPattern(pattern)).toThrow(
      expect.objectContaining({ code: "option_invalid", message }),
    );
  });
});

describe("checkEventKind", () => {
  it.each(eventKinds)("accepts %s", (kind) => {
    expect(() => checkEventKind(kind)).not.toThrow();
    expect(isEventKind(kind)).toBe(true);
  });

  it.each<[unknown, string]>([
    ["payment.receive", '"payment.receive": did you mean payment.received?'],
    ["visits", `"visits": the kinds are ${eventKinds.join(", ")}`],
    ["property.*", '"property.*": '],
    ["__proto__", '"__proto__": '],
    ["toString", '"toString": '],
    ["", '"": '],
    [undefined, "undefined: the kinds are"],
    [["property.created"], "an array: the kinds are"],
    [7, "7: the kinds are"],
  ])("refuses %j", (kind, got) => {
    if (typeof kind === "string") expect(isEventKind(kind)).toBe(false);
    expect(() => checkEventKind(kind)).toThrow(
      expect.objectContaining({
        code: "option_invalid",
        message: expect.stringContaining(`expected an event kind, got ${got}`),
      }),
    );
  });
});
