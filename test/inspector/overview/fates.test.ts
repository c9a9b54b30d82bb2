import { expect, it } from "vitest";
import { Fates } from "../../../src/inspector/overview/fates.ts";
import type { AttemptObservation, DeliveryObservation } from "../../../src/receiver/observation.ts";

const AT = 10 * 60_000;

const delivered = (seq: number, receivedAt = AT) =>
  ({
    type: "delivery",
    receivedAt,
    outcome: { type: "accepted", seq, entryState: "waiting" },
  }) as DeliveryObservation;

const ended = (seq: number, state: AttemptObservation["state"]) =>
  ({ type: "attempt", seq, state }) as AttemptObservation;

it("an entry counts in the minute of its delivery, under the state that it has now", () => {
  const fates = new Fates(60);
  fates.note(delivered(1));
  expect(fates.in(AT)).toMatchObject({ waiting: 1, handled: 0 });
  fates.note(ended(1, "dead"));
  expect(fates.in(AT)).toMatchObject({ waiting: 0, dead: 1 });
  fates.note(ended(1, "handled"));
  expect([fates.in(AT), fates.in(AT + 60_000)]).toMatchObject([
    { dead: 0, handled: 1 },
    { handled: 0 },
  ]);
});

it("an attempt that is reported before its delivery counts too", () => {
  const fates = new Fates(60);
  fates.note(ended(1, "handled"));
  fates.note(delivered(1));
  expect(fates.in(AT)).toMatchObject({ waiting: 0, handled: 1 });
});

it("an entry that another process changed is looked up, but what was observed meanwhile is newer", async () => {
  const fates = new Fates(60);
  for (const seq of [1, 2, 3]) fates.note(delivered(seq));
  fates.note(ended(2, "handled"));
  await fates.lookUp(async ({ seqs }) => {
    expect(seqs).toEqual([1, 3]);
    fates.note(ended(3, "received"));
    return [
      { seq: 1, state: "dead", attempts: 1, reason: "attempts_exhausted" },
      { seq: 3, state: "waiting", attempts: 0, reason: null },
    ];
  });
  expect(fates.in(AT)).toMatchObject({ waiting: 0, dead: 1, handled: 1, received: 1 });
});

it("minutes that are too long ago are forgotten", () => {
  const fates = new Fates(2);
  fates.note(delivered(1));
  fates.note(delivered(2, AT + 2 * 60_000));
  fates.note(ended(1, "dead"));
  expect([fates.in(AT), fates.in(AT + 2 * 60_000)]).toMatchObject([
    { waiting: 0, dead: 0 },
    { waiting: 1 },
  ]);
});
