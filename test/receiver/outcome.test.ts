import { describe, expect, it } from "vitest";
import { type Accepted, deadLetterOf, type Outcome, type Rejected } from "../../src/receiver/outcome.ts";

const secret = { role: "current", fingerprint: "0123abcd" } as const;
const accepted: Accepted = {
  type: "accepted",
  ...{ eventId: "evt_1", seq: 7, kind: "lead.created", duplicate: false, entryState: "pending", secret },
};
const rejected: Rejected = {
  type: "rejected",
  ...{ kind: "lead.created", seq: 8, eventId: "raw_1", duplicate: false, secret },
  rejection: { reason: "too_old", message: "it is old" },
};

describe("deadLetterOf", () => {
  it("returns the dead letter that a delivery has become", () => {
    expect(deadLetterOf(rejected)).toEqual({
      ...{ seq: 8, eventId: "raw_1", kind: "lead.created", reason: "too_old", error: null },
    });
    expect(deadLetterOf({ ...accepted, reason: "invalid_data" })).toEqual({
      ...{ seq: 7, eventId: "evt_1", kind: "lead.created", reason: "invalid_data", error: null },
    });
  });

  it.each<[string, Outcome]>([
    ["an accepted event", accepted],
    ["a duplicate of a dead letter", { ...accepted, duplicate: true, reason: "invalid_data" }],
    ["a duplicate of a rejected delivery", { ...rejected, duplicate: true }],
    ["a refused request", { type: "refused", reason: "too_large" }],
    ["an unauthorized delivery", { type: "unauthorized", reason: "signature_missing" }],
  ])("returns nothing for %s", (_, outcome) => {
    expect(deadLetterOf(outcome)).toBeUndefined();
  });
});
