import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyBudget } from "../../src/http/body-budget.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** A budget of 8 MiB, and the names of the bodies it ended, in order. */
function open() {
  const budget = new BodyBudget(8 * MIB);
  const ended: string[] = [];
  /** Starts a body whose memory equals the bytes received. */
  const begin = (name: string) => {
    let received = 0;
    const held = budget.open(() => ended.push(name));
    const take = (bytes: number) => {
      received += bytes;
      return held.grow(bytes, received);
    };
    return { take, release: held.release };
  };
  const fill = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, index) => {
      const body = begin(`${index}`);
      body.take(bytes);
      return body;
    });
  return { budget, ended, begin, fill };
}

describe("BodyBudget", () => {
  it("ends no body while there is room, and does not count released bodies", () => {
    const { budget, ended, fill } = open();
    for (let round = 0; round < 20; round++) {
      const bodies = fill(8, MIB);
      expect(budget.held).toBe(8 * MIB);
      for (const body of bodies) body.release();
    }
    expect(budget.held).toBe(0);
    expect(ended).toEqual([]);
  });

  it("ends the body that has stalled longest, not the one that needs room", () => {
    const { ended, begin, fill } = open();
    fill(8, MIB);
    const late = begin("late");
    expect(late.take(70 * KIB)).toBe(true);
    expect(ended).toEqual(["0"]);
    expect(late.take(30 * KIB)).toBe(true);
    expect(ended).toEqual(["0"]);
  });

  it("spares a body that is slow but makes progress, however long stalled ones arrive", () => {
    const { ended, begin, fill } = open();
    const slow = begin("slow");
    for (let step = 0; step < 60; step++) {
      expect(slow.take(16 * KIB)).toBe(true);
      fill(6, MIB);
    }
    expect(ended.length).toBeGreaterThan(300);
    expect(ended).not.toContain("slow");
  });

  it("counts 16 KiB as progress, in however many pieces they arrive, and fewer as none", () => {
    const { ended, begin, fill } = open();
    const slow = begin("slow");
    const dripping = begin("dripping");
    fill(7, MIB);
    for (let piece = 0; piece < 16; piece++) slow.take(KIB);
    dripping.take(16 * KIB - 1);
    begin("late").take(MIB);
    expect(ended).toEqual(["dripping", "0"]);
  });

  it("ends the body that needs room if it has stalled longest itself", () => {
    const { ended, begin, fill } = open();
    const dripping = begin("dripping");
    fill(8, MIB);
    expect(dripping.take(1)).toBe(true);
    expect(ended).toEqual(["dripping"]);
  });

  it("reports that there is no room for a body that exceeds the limit alone", () => {
    const budget = new BodyBudget(64 * KIB);
    const ended: string[] = [];
    const held = budget.open(() => ended.push("only"));
    expect(held.grow(64 * KIB, 64 * KIB)).toBe(true);
    expect(held.grow(1, 80 * KIB)).toBe(false);
    expect(ended).toEqual([]);
  });

  it("has room for one body of the largest allowed size, however small the budget", () => {
    for (const limit of [1, 1000, 16 * KIB + 1, MIB]) {
      const blocks = Math.ceil(limit / (16 * KIB)) * 16 * KIB;
      expect(new BodyBudget(limit).open(() => {}).grow(limit, blocks)).toBe(true);
    }
  });

  it("counts a body again if it grows after it was released", () => {
    const { budget, begin } = open();
    const body = begin("late");
    for (let round = 0; round < 2; round++) {
      body.take(1);
      expect(budget.held).toBeGreaterThan(0);
      body.release();
      expect(budget.held).toBe(0);
    }
  });

  it("never exceeds its limit or ends a body twice, for any sequence of bodies", () => {
    const step = fc.record({ body: fc.nat(30), bytes: fc.integer({ min: 1, max: MIB / 2 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { budget, ended, begin } = open();
        const bodies = new Map<number, ReturnType<typeof begin>>();
        for (const { body, bytes } of steps) {
          if (ended.includes(String(body))) continue;
          if (bytes % 7 === 0) bodies.get(body)?.release();
          else {
            const held = bodies.get(body) ?? begin(String(body));
            bodies.set(body, held);
            held.take(bytes);
          }
          expect(budget.held).toBeLessThanOrEqual(8 * MIB);
        }
        expect(new Set(ended).size).toBe(ended.length);
        for (const held of bodies.values()) held.release();
        expect(budget.held).toBe(0);
      }),
    );
  });
});
