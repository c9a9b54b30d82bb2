import { expect, it } from "vitest";
import { BodyRanks, costOf, type RankedBody } from "../../src/http/body-ranks.ts";

const KIB = 1024;

/** A body of a size, and one that asks for room. */
const bodyOf = (bytes: number): RankedBody => ({ bytes, sinceStep: 0, steppedAt: 0, end: () => {} });
const asking = bodyOf(KIB);

it("16 KiB are progress, in however many pieces they arrive", () => {
  const ranks = new BodyRanks();
  const body = bodyOf(64 * KIB);
  ranks.add(body, 0);
  ranks.grow(body, 10 * KIB, 64 * KIB, 50);
  expect(body).toMatchObject({ steppedAt: 0, sinceStep: 10 * KIB });
  ranks.grow(body, 6 * KIB - 1, 64 * KIB, 60);
  expect(body.steppedAt).toBe(0);
  ranks.grow(body, 1, 64 * KIB, 70);
  expect(body).toMatchObject({ steppedAt: 70, sinceStep: 0 });
  expect(ranks.bytes).toBe(64 * KIB);
});

it("the largest of bodies that cost the same is the worst, and one that cost more is worse", () => {
  const ranks = new BodyRanks();
  const [small, large] = [bodyOf(4 * KIB), bodyOf(8 * KIB)];
  ranks.add(small, 0);
  ranks.add(large, 100);
  expect(costOf(small, 200)).toBe(costOf(large, 200));
  expect(ranks.worst(200, asking)).toBe(large);
  expect(ranks.worst(199, asking)).toBe(small);
  expect(ranks.worst(200, large)).toBe(small);
});

it("a body that is removed twice is counted once", () => {
  const ranks = new BodyRanks();
  const [one, other] = [bodyOf(4 * KIB), bodyOf(8 * KIB)];
  for (const body of [one, other]) ranks.add(body, 0);
  for (let times = 0; times < 2; times++) ranks.remove(one);
  expect(ranks.bytes).toBe(8 * KIB);
  expect(ranks.worst(1, one)).toBe(other);
  expect(ranks.worst(1, other)).toBeUndefined();
});

it("memory that a body takes is counted, in whichever size class it is", () => {
  const ranks = new BodyRanks();
  const body = bodyOf(64 * KIB);
  ranks.add(body, 0);
  ranks.grow(body, 1, 80 * KIB, 10); // the same class
  expect([ranks.bytes, body.bytes, body.steppedAt]).toEqual([80 * KIB, 80 * KIB, 0]);
  ranks.grow(body, 1, 1024 * KIB, 20);
  expect([ranks.bytes, body.bytes]).toEqual([1024 * KIB, 1024 * KIB]);
  ranks.remove(body);
  expect(ranks.bytes).toBe(0);
  expect(ranks.worst(30, asking)).toBeUndefined();
});
