import { expect, it } from "vitest";
import { ListenTally } from "../../../src/cli/end/tally.ts";
import type { Observation, Outcome } from "../../../src/entries/index.ts";

const current = { role: "current", fingerprint: "00000000" } as const;
const previous = { role: "previous", fingerprint: "11111111" } as const;
const accepted = (more: Partial<Extract<Outcome, { type: "accepted" }>> = {}): Outcome => ({
  type: "accepted",
  eventId: "evt_1",
  seq: 1,
  kind: "lead.created",
  duplicate: false,
  entryState: "waiting",
  secret: current,
  ...more,
});
const delivery = (outcome: Outcome): Observation => ({
  type: "delivery",
  method: "POST",
  target: "/",
  headers: {},
  receivedAt: 0,
  duration: 1,
  bytes: 1,
  outcome,
});
const attempt = (
  state: "handled" | "dead" | "received" | "failing",
  reason: string | null,
): Observation => ({
  type: "attempt",
  seq: 1,
  eventId: "evt_1",
  kind: "lead.created",
  attempt: 1,
  records: [],
  state,
  reason,
  problems: [],
  runAt: 0,
});

it("no deliveries are reported as such", () => {
  const tally = new ListenTally();
  expect(tally.line).toBe("no deliveries");
  expect(tally.fields).toEqual({
    counts: {},
    reasons: {},
    secrets: { current: 0, previous: 0 },
    restamped: 0,
    strayErrors: 0,
  });
});

it("deliveries are counted by verdict and reason, entries by result, and secrets by which one matched", () => {
  const tally = new ListenTally();
  const seen = [
    attempt("received", "no_handler"),
    delivery({ type: "unauthorized", reason: "signature_missing" }),
    delivery({ type: "unauthorized", reason: "signature_mismatch" }),
    delivery({ type: "unauthorized", reason: "signature_mismatch" }),
    delivery(accepted()),
    delivery(accepted({ secret: previous, restampOf: "evt_0" })),
    delivery(accepted({ duplicate: true, secret: previous })),
    delivery(accepted({ entryState: "dead", reason: "invalid_data" })),
    delivery({ type: "refused", reason: "wrong_path" }),
    delivery({ type: "unavailable", error: new Error("full") }),
    attempt("failing", null),
    attempt("dead", "attempts_exhausted"),
    attempt("handled", null),
  ];
  for (const observation of seen) tally.count(observation);
  tally.countStrayError();
  expect(tally.line).toBe(
    "2 accepted, 1 duplicate, 3 unauthorized (1 signature_missing, 2 signature_mismatch), " +
      "1 refused (1 wrong_path), 1 failed (1 unavailable), 1 handled, 1 received, " +
      "2 dead (1 invalid_data, 1 attempts_exhausted), 2 signed with a previous secret, " +
      "1 error outside any awaited handler",
  );
  expect(tally.fields).toEqual({
    counts: {
      accepted: 2,
      duplicate: 1,
      unauthorized: 3,
      refused: 1,
      failed: 1,
      handled: 1,
      received: 1,
      dead: 2,
    },
    reasons: {
      unauthorized: { signature_missing: 1, signature_mismatch: 2 },
      refused: { wrong_path: 1 },
      failed: { unavailable: 1 },
      dead: { invalid_data: 1, attempts_exhausted: 1 },
    },
    secrets: { current: 2, previous: 2 },
    restamped: 1,
    strayErrors: 1,
  });
});
