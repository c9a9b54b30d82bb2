import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/entries/index.ts";
import { letterOf, withEvent } from "../../src/receiver/dead-letter.ts";
import type { Accepted, Rejected } from "../../src/receiver/outcome.ts";
import { deliveryOf, envelope } from "./sample.ts";

const delivery = deliveryOf(envelope());

const secret = { role: "current", fingerprint: "0123abcd" } as const;
const accepted: Accepted = {
  type: "accepted",
  eventId: "evt_1",
  seq: 7,
  kind: "lead.created",
  duplicate: false,
  entryState: "waiting",
  secret,
};
const rejected: Rejected = {
  type: "rejected",
  kind: "lead.created",
  seq: 8,
  eventId: "raw_1",
  duplicate: false,
  secret,
  rejection: { reason: "too_old", message: "it is old" },
};

describe("letterOf", () => {
  it("returns the dead letter that a delivery has become", () => {
    expect(letterOf(rejected)).toEqual({
      seq: 8,
      eventId: "raw_1",
      kind: "lead.created",
      reason: "too_old",
      problems: [],
      error: null,
    });
    const problems = [{ field: "data.rooms", message: "is missing" }];
    expect(letterOf({ ...accepted, reason: "invalid_data", problems })).toEqual({
      seq: 7,
      eventId: "evt_1",
      kind: "lead.created",
      reason: "invalid_data",
      problems,
      error: null,
    });
  });

  it.each<[string, Outcome]>([
    ["an accepted event", accepted],
    ["a duplicate of a dead letter", { ...accepted, duplicate: true, reason: "invalid_data" }],
    ["a duplicate of a rejected delivery", { ...rejected, duplicate: true }],
    ["a refused request", { type: "refused", reason: "too_large" }],
    ["an unauthorized delivery", { type: "unauthorized", reason: "signature_missing" }],
  ])("returns nothing for %s", (_, outcome) => {
    expect(letterOf(outcome)).toBeUndefined();
  });
});

describe("withEvent", () => {
  const letter = {
    seq: 7,
    eventId: "evt_own",
    kind: null,
    reason: "too_old",
    problems: [],
    error: null,
  };

  it("adds the event under the entry's id, if the delivery is one", () => {
    expect(withEvent({ ...letter, delivery }, "agency")).toMatchObject({
      ...letter,
      event: { id: "evt_own", kind: "payment.received", source: "agency" },
    });
  });

  it("adds none if the delivery cannot be read", () => {
    expect(withEvent({ ...letter, delivery: deliveryOf("{") }, "agency")).toMatchObject({
      event: null,
    });
  });
});
