import { expect, it } from "vitest";
import { showAttempt, showDelivery, wordsOf } from "../../../src/cli/live/view.ts";
import { createOutput } from "../../../src/cli/output.ts";
import type { DeliveryObservation } from "../../../src/receiver/observation.ts";
import { collected } from "./collected.ts";

/** What is shown to people, or with `json` to programs. */
function shown(show: (output: ReturnType<typeof createOutput>) => void, json = false): string {
  const { io, text } = collected();
  show(createOutput(io, { json, color: false, clock: () => 0 }));
  return text();
}

const delivered = (role: "current" | "previous"): DeliveryObservation => ({
  ...{ type: "delivery", method: "POST", target: "/", headers: {}, receivedAt: 0, durationMs: 1, bytes: 2 },
  outcome: {
    ...{ type: "accepted", eventId: "evt_1", seq: 1, kind: "lead.created", duplicate: false },
    ...{ entryState: "pending", secret: { role, fingerprint: "00000000" } },
  },
});

it("a delivery signed with a previous secret is marked", () => {
  expect(shown((output) => showDelivery(delivered("previous"), output))).toContain("previous secret");
  expect(shown((output) => showDelivery(delivered("current"), output))).not.toContain("secret");
});

it("the values of a query are hidden, for people, in records and from the filter", () => {
  const refused: DeliveryObservation = {
    ...delivered("current"),
    ...{ target: "/other?code=hunter2&x", outcome: { type: "refused", reason: "wrong_path" } },
  };
  for (const json of [false, true]) {
    const text = shown((output) => showDelivery(refused, output), json);
    expect(text).toContain("/other?code=…&…");
    expect(text).not.toContain("hunter2");
  }
  expect(wordsOf(refused)).toContain("/other?code=…&…");
});

it("a dead letter whose handlers never ran shows its event", () => {
  const text = shown((output) =>
    showAttempt(
      {
        ...{ type: "attempt", seq: 7, eventId: "raw_1", kind: null, attempt: 2, records: [] },
        ...{ state: "dead", reason: "invalid_timestamp", problems: [], runAt: 0 },
      },
      output,
      0,
    ),
  );
  expect(text).toMatch(/raw_1 {2}not run\n.*dead letter: invalid_timestamp.*redrive 7\n$/);
});

it("[case 62] an event that differs from an earlier one only in its timestamp is marked", () => {
  const first = delivered("current");
  const restamped = { ...first, outcome: { ...first.outcome, restampOf: "evt_0" } } as DeliveryObservation;
  expect(shown((output) => showDelivery(restamped, output))).toMatch(/accepted.*new timestamp/);
  expect(shown((output) => showDelivery(first, output))).not.toContain("timestamp");
});
