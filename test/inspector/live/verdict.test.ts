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

const named = { ...NOTHING, kind: "lead.created", id: "evt_1" };
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
    expect(verdictOf(accepted)).toEqual({ ...named, word: "accepted" });
    const duplicate = { ...accepted, duplicate: true };
    for (const outcome of [duplicate, { ...duplicate, reason: "invalid_data" } as const])
      expect(verdictOf(outcome)).toEqual({ ...named, word: "duplicate" });
  });

  it("calls an event whose data does not fit dead, with its problems and how to fix them", () => {
    const message = "is missing";
    const problems = ["a", "b", "c"].map((name) => ({ field: `data.${name}`, message }));
    const misfit = { ...accepted, reason: "invalid_data" } as const;
    expect(verdictOf({ ...misfit, problems })).toEqual({
      ...named,
      word: "dead",
      reason: "invalid_data",
      problems,
      detail: "data.a: is missing (and 2 more)",
      fix: expect.stringContaining("events retry 7"),
    });
    expect(summarise(problems.slice(0, 1))).toBe("data.a: is missing");
    expect(verdictOf(misfit).detail).toContain("schema");
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
  ] as const)("says how to fix a delivery that is rejected as %s", (reason, says) => {
    const fix = expect.stringMatching(says);
    const own = { word: "rejected", id: "raw_1", reason, detail: "its message", fix };
    const rejection = { reason, message: "its message" };
    expect(verdictOf({ ...rejected, rejection })).toEqual({ ...NOTHING, ...own });
    const inField = verdictOf({ ...rejected, rejection: { ...rejection, field: "webhook.id" } });
    expect(inField.detail).toBe("its message (webhook.id)");
  });

  it("says why a request is refused or unauthorized, with the words of its reason", () => {
    const words = { unauthorized: SIGNATURE_REASONS, refused: REFUSALS };
    for (const [word, reasons] of Object.entries(words)) {
      const known = Object.entries<{ meaning: string; fix?: string }>(reasons);
      expect(known.length).toBeGreaterThan(2);
      for (const [reason, { meaning, fix = null }] of known) {
        const verdict = verdictOf({ type: word, reason } as Outcome);
        expect(verdict).toEqual({ ...NOTHING, word, reason, detail: meaning, fix });
      }
    }
  });

  it("names the error of a delivery that could not be kept", () => {
    for (const type of ["unavailable", "misconfigured"] as const) {
      const verdict = { ...NOTHING, word: "failed", reason: type, detail: "disk full" };
      expect(verdictOf({ type, error: new Error("disk full") })).toEqual(verdict);
    }
  });
});
