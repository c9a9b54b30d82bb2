import { expect, it } from "vitest";
import { long } from "../long.ts";
import { crash } from "./driver.ts";
import type { Tally } from "./tally.ts";

const MINUTE = 60_000;

it("`listen` keeps its promise however often it is killed", {
  timeout: long(1, 25) * MINUTE,
  retry: 0,
}, async () => {
  const kills = long(8, 1000);
  const result = await crash({ kills, seed: 20_260_115, forwarding: 0.3, companion: false });
  expectPromiseKept(result, kills);
});

it("`listen` keeps its promise on an inbox shared with a process that is killed repeatedly", {
  timeout: long(1, 10) * MINUTE,
  retry: 0,
}, async () => {
  const kills = long(5, 200);
  const result = await crash({ kills, seed: 4, forwarding: 0.3, companion: true });
  expectPromiseKept(result, kills);
});

function expectPromiseKept(result: Tally, kills: number): void {
  expect(result.faults.slice(0, 20)).toEqual([]);
  expect(result).toMatchObject({ kills, lost: 0, stuck: 0, twiceByFault: 0, integrity: "ok" });
  // Expect that something was tested; on a busy machine, a few kills may all miss the handlers.
  expect(result.acknowledged).toBeGreaterThan(kills);
  expect(result.cutOff).toBeGreaterThanOrEqual(long(0, 1));
}
