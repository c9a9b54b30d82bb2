import { expect, it } from "vitest";
import type { Outcome } from "../../src/entries/index.ts";
import { DAY, ENOUGH_BODIES } from "../../src/inbox/senders.ts";
import { SenderTally } from "../../src/receiver/sender-tally.ts";
import { NOW } from "./sample.ts";

const MORNING = Math.floor(NOW / DAY) * DAY;
const outcome = (type: Outcome["type"], parts: object = {}) => ({ type, ...parts }) as Outcome;

it("counts an event once: no duplicate, and nothing that was not kept", () => {
  const tally = new SenderTally("service");
  tally.authentic(MORNING);
  tally.authentic(MORNING + 1, outcome("accepted", { duplicate: false }));
  tally.authentic(MORNING + 2, outcome("accepted", { duplicate: true }));
  tally.authentic(MORNING + 9, outcome("unavailable"));
  expect(tally.seen).toEqual({
    source: "service",
    authentic: { first: MORNING, last: MORNING + 9 },
    mismatches: undefined,
    days: [{ day: MORNING / DAY, events: 2, longestGap: 7 }],
  });
});

it("begins a day at midnight, and again if the clock is set back", () => {
  const tally = new SenderTally("service");
  for (const at of [MORNING + DAY - 1, MORNING + DAY, MORNING]) tally.authentic(at);
  const day = MORNING / DAY;
  expect(tally.take()?.days.map((day) => [day.day, day.events])).toEqual([
    [day, 1],
    [day + 1, 1],
    [day, 1],
  ]);
  expect(tally.take()).toBeUndefined();
});

it("counts mismatches, and different bodies until there are enough, and forgets them after an authentic delivery", () => {
  const tally = new SenderTally("service");
  for (let body = 0; body < ENOUGH_BODIES + 3; body++) {
    for (let time = 0; time < 2; time++) tally.mismatch(Buffer.from(`${body}`), NOW + body);
  }
  const count = 2 * (ENOUGH_BODIES + 3);
  const seen = { count, bodies: ENOUGH_BODIES, from: NOW, to: NOW + ENOUGH_BODIES + 2 };
  expect(tally.seen).toEqual({
    source: "service",
    authentic: undefined,
    mismatches: seen,
    days: [],
  });
  tally.authentic(NOW + 60_000);
  expect(tally.take()?.mismatches).toBeUndefined();
  tally.mismatch(Buffer.from("0"), NOW + 70_000);
  expect(tally.seen?.mismatches).toMatchObject({ count: 1, bodies: 1 });
});
