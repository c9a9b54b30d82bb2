import { describe, expect, it } from "vitest";
import { EVENT_KINDS, eventKinds, isEventKind } from "../../src/entries/index.ts";

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

  it("are in 4 groups of 3", () => {
    const sizes = new Map<string, number>();
    for (const { group } of Object.values(EVENT_KINDS))
      sizes.set(group, (sizes.get(group) ?? 0) + 1);
    expect(Object.fromEntries(sizes)).toEqual({
      properties: 3,
      tenants: 3,
      finances: 3,
      prospecting: 3,
    });
  });

  it("each have a meaning", () => {
    for (const { meaning } of Object.values(EVENT_KINDS)) expect(meaning).not.toBe("");
  });
});

describe("isEventKind", () => {
  it.each(eventKinds)("knows %s", (kind) => {
    expect(isEventKind(kind)).toBe(true);
  });

  it.each([
    "__proto__",
    "toString",
    "constructor",
    "*",
    "error",
    "",
    "property.created ",
    "Property.Created",
  ])("[case 38] does not know %j", (text) => {
    expect(isEventKind(text)).toBe(false);
  });
});
