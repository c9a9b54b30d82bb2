import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/entries/index.ts";
import { summarise, verdictOf } from "../../../src/inspector/live/verdict.ts";
import type { Accepted, Rejected } from "../../../src/receiver/outcome.ts";
import { REFUSALS } from "../../../src/receiver/refusals.ts";
import { SIGNATURE_REASONS } from "../../../src/signature/signature-format.ts";

const NOTHING = { kind: null, id: null, reason: null, detail: null, problems: [], fix: null };
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

describe("verdictOf", () => {
  it("names an accepted event by kind and id, and a duplicate as one, even of a dead letter", () => {
    const named = { ...NOTHING, kind: "lead.created", id: "evt_1" };
    expect(verdictOf(accepted)).toEqual({ ...named, word: "accepted" });
    expect(verdictOf({ ...accepted, duplicate: true })).toEqual({ ...named, word: "duplicate" });
    const misfit = { ...accepted, duplicate: true, reason: "invalid_data" } as const;
    expect(verdictOf(misfit)).toEqual({ ...named, word: "duplicate" });
  });

  it("calls an event whose data does not fit dead, with its problems and how to fix them", () => {
    const problems = ["a", "b", "c"].map((name) => ({
      field: `data.${name}`,
      message: "is missing",
    }));
    expect(verdictOf({ ...accepted, reason: "invalid_data", problems })).toEqual({
      word: "dead",
      kind: "lead.created",
      id: "evt_1",
      reason: "invalid_data",
      problems,
      detail: "data.a: is missing (and 2 more)",
      fix: expect.stringContaining("events retry 7"),
    });
    expect(summarise(problems.slice(0, 1))).toBe("data.a: is missing");
    expect(verdictOf({ ...accepted, reason: "invalid_data" }).detail).toContain("schema");
  });

  it.each([
    ["too_old", /newer timestamp/],
    ["future_timestamp", /clock/],
    ["invalid_json", /send JSON/],
    ["invalid_utf8", /UTF-8/],
    ["duplicate_key", /once/],
    ["forbidden_key", /without that key/],
    ["too_deep", /64 levels/],
    ["invalid_envelope", /envelope: event, timestamp, data, webhook/],
    ["invalid_timestamp", /UTC, such as/],
  ] as const)("says how to fix a delivery that is rejected as %s", (reason, fix) => {
    const verdict = verdictOf({ ...rejected, rejection: { reason, message: "its message" } });
    expect(verdict).toEqual({
      ...NOTHING,
      word: "rejected",
      id: "raw_1",
      reason,
      detail: "its message",
      fix: expect.stringMatching(fix),
    });
  });

  it("adds the field that is invalid to the detail", () => {
    const rejection = {
      reason: "invalid_envelope",
      message: "it is missing",
      field: "webhook.id",
    } as const;
    expect(verdictOf({ ...rejected, rejection }).detail).toBe("it is missing (webhook.id)");
  });

  it.each(Object.entries(SIGNATURE_REASONS))(
    "explains the signature reason %s",
    (reason, { meaning, fix }) => {
      const outcome = { type: "unauthorized", reason } as Outcome;
      expect(verdictOf(outcome)).toEqual({
        ...NOTHING,
        word: "unauthorized",
        reason,
        detail: meaning,
        fix,
      });
    },
  );

  it.each(Object.entries<{ meaning: string; fix?: string }>(REFUSALS))(
    "says why a request is refused as %s, and how to fix it",
    (reason, { meaning, fix = null }) => {
      const outcome = { type: "refused", reason } as Outcome;
      expect(verdictOf(outcome)).toEqual({
        ...NOTHING,
        word: "refused",
        reason,
        detail: meaning,
        fix,
      });
    },
  );

  it.each(["unavailable", "misconfigured"] as const)(
    "names the error of a delivery that is %s",
    (type) => {
      expect(verdictOf({ type, error: new Error("disk full") })).toEqual({
        ...NOTHING,
        word: "failed",
        reason: type,
        detail: "disk full",
      });
    },
  );
});
