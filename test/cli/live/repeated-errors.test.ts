import { expect, it } from "vitest";
import { RepeatedErrors } from "../../../src/cli/live/repeated-errors.ts";
import type { AttemptObservation } from "../../../src/receiver/observation.ts";

function failed(seq: number, error: string, state: "failing" | "dead" = "failing"): AttemptObservation {
  const run = {
    attempt: 1,
    handler: "*",
    startedAt: 0,
    duration: 1,
    outcome: "error",
    note: null,
  } as const;
  return {
    ...{ type: "attempt", seq, eventId: "evt_1", kind: null, attempt: 1, problems: [] },
    ...{ state, reason: null, runAt: 0 },
    records: [{ ...run, error, failure: null }],
  };
}

it("an error is a repeat only after the same error of the same entry", () => {
  const errors = new RepeatedErrors();
  expect(errors.note(failed(1, "no"))).toBe(false);
  expect(errors.note(failed(1, "no"))).toBe(true);
  expect(errors.note(failed(2, "no"))).toBe(false);
  expect(errors.note(failed(1, "other"))).toBe(false);
  expect(errors.note(failed(1, "no"))).toBe(false);
});

it("an entry that ended starts over", () => {
  const errors = new RepeatedErrors();
  errors.note(failed(1, "no"));
  expect(errors.note(failed(1, "no", "dead"))).toBe(true);
  expect(errors.note(failed(1, "no"))).toBe(false);
});

it("only the latest thousand entries are remembered", () => {
  const errors = new RepeatedErrors();
  for (let seq = 1; seq <= 1001; seq++) errors.note(failed(seq, "no"));
  expect(errors.note(failed(1001, "no"))).toBe(true);
  expect(errors.note(failed(1, "no"))).toBe(false);
});
