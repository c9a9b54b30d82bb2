import { expect, it } from "vitest";
import { attemptLines } from "../../../src/cli/live/attempt-view.ts";
import { createOutput } from "../../../src/cli/output.ts";
import type { AttemptObservation } from "../../../src/receiver/observation.ts";
import { collected } from "./collected.ts";

const RUN = {
  attempt: 1,
  handler: "*",
  startedAt: 0,
  duration: 1,
  outcome: "ok",
  error: null,
  note: null,
} as const;

/**
 * The first line for an entry that one handler took, and of which the rest waits for ten minutes at
 * most.
 */
function lineOf(reason: string | null): string {
  const { io } = collected(false);
  const output = createOutput(io, { json: false, color: false, clock: () => 0 });
  const observation: AttemptObservation = {
    type: "attempt",
    seq: 1,
    eventId: "evt_1",
    kind: "lead.created",
    attempt: 1,
    problems: [],
    state: "waiting",
    reason,
    runAt: 600_000,
    records: [{ ...RUN, failure: null }],
  };
  return attemptLines(observation, { now: 0, detail: "whole" }, output)[0] ?? "";
}

it.each([
  ["paused", "again once it is resumed"],
  ["target_away", "again once its target answers"],
  ["tx_busy", "again in 10 min"],
])("what is %s runs %s", (reason, text) => {
  expect(lineOf(reason)).toContain(text);
});
