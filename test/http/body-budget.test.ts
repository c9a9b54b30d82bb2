import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyBudget } from "../../src/http/body-budget.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** A budget with a manual clock, and the names of the bodies it ended, in order. */
function open({ limit = 8 * MIB, bodyLimit = MIB } = {}) {
  const clock = { now: 0 };
  const budget = new BodyBudget({ limit, bodyLimit, now: () => clock.now });
  const ended: string[] = [];
  /** Starts a body whose memory equals the bytes received. */
  const begin = (name: string, announced = 0) => {
    let received = 0;
    const held = budget.open(announced, () => ended.push(name));
    const take = (bytes: number) => {
      received += bytes;
      return held.grow(bytes, received);
    };
    return { take, release: held.release };
  };
  const fill = (count: number, bytes: number, prefix = "") =>
    Array.from({ length: count }, (_, index) => {
      const body = begin(`${prefix}${index}`, bytes + 1);
      body.take(bytes);
      clock.now++;
      return body;
    });
  return { budget, clock, ended, begin, fill };
}

describe("BodyBudget", () => {
  it("ends no body while there is room, and does not count released bodies", () => {
    const { budget, ended, fill } = open();
    for (let round = 0; round < 20; round++) {
      const bodies = fill(7, MIB);
      expect(budget.held).toBe(7 * MIB);
      for (const body of bodies) body.release();
    }
    expect(budget.held).toBe(0);
    expect(ended).toEqual([]);
  });

  it("ends a stalled body, not the one that needs room", () => {
    const { clock, ended, begin, fill } = open();
    fill(7, MIB);
    clock.now += 1000;
    const late = begin("late", 100 * KIB);
    expect(late.take(70 * KIB)).toBe(true);
    expect(ended).toEqual(["0"]);
    expect(late.take(30 * KIB)).toBe(true);
    expect(ended).toEqual(["0"]);
  });

  it("spares a large body that is slow but makes progress", () => {
    const { clock, ended, begin, fill } = open();
    const slow = begin("slow", MIB);
    slow.take(100 * KIB);
    fill(6, MIB, "stalled ");
    for (let step = 0; step < 20; step++) {
      clock.now += 200;
      expect(slow.take(16 * KIB)).toBe(true);
      begin(`later ${step}`, MIB).take(500 * KIB);
    }
    expect(ended.length).toBeGreaterThan(5);
    expect(ended).not.toContain("slow");
  });

  it("ends a body that trickles as if it had stalled", () => {
    const { clock, ended, begin, fill } = open();
    const dripping = begin("dripping", MIB);
    dripping.take(MIB - 100);
    fill(6, MIB - 1);
    for (let drop = 0; drop < 50; drop++) {
      clock.now += 10;
      dripping.take(1);
    }
    begin("late", MIB).take(300 * KIB);
    expect(ended).toEqual(["dripping"]);
  });

  it("ends the body that needs room if it makes the least progress itself", () => {
    const { clock, ended, begin, fill } = open();
    const dripping = begin("dripping", MIB);
    dripping.take(MIB);
    clock.now += 1000;
    fill(6, MIB);
    expect(ended).toEqual([]);
    expect(dripping.take(1)).toBe(true);
    expect(ended).toEqual(["dripping"]);
  });

  it("ends a stalled large body before a small one that stalled slightly earlier", () => {
    const { clock, ended, begin, fill } = open();
    const small = begin("small", MIB);
    small.take(100 * KIB);
    clock.now += 300;
    fill(6, MIB);
    clock.now += 500;
    begin("late", MIB).take(950 * KIB);
    expect(ended).toEqual(["0"]);
  });

  it("ends the largest of the bodies with equally little progress", () => {
    const { clock, ended, begin } = open();
    for (const [name, bytes] of Object.entries({ a: 900 * KIB, b: MIB, c: 950 * KIB }))
      begin(name, MIB + 1).take(bytes);
    for (let n = 0; n < 4; n++) begin(`filler ${n}`, MIB).take(MIB - KIB);
    clock.now += 100;
    begin("late", MIB).take(250 * KIB);
    expect(ended).toEqual(["b"]);
  });

  it("ends a small body that has stalled for long before large ones that began just now", () => {
    const { clock, ended, begin, fill } = open();
    begin("old").take(60 * KIB);
    clock.now += 100_000;
    fill(6, MIB);
    fill(32, 64 * KIB - 1, "new ");
    expect(ended).toEqual(["old"]);
  });

  it("reserves an eighth for small bodies", () => {
    const { budget, ended, begin, fill } = open();
    fill(40, MIB - 1, "large ");
    expect(budget.held).toBeLessThanOrEqual(7 * MIB);
    const before = ended.length;
    for (let n = 0; n < 16; n++) expect(begin(`small ${n}`, 64 * KIB).take(64 * KIB)).toBe(true);
    expect(ended).toHaveLength(before);
  });

  it("lets small bodies use what large ones leave, and reclaims it from stalled ones", () => {
    const { budget, clock, ended, begin, fill } = open();
    fill(128, 64 * KIB - 1, "small ");
    expect([budget.held, ended]).toEqual([8 * MIB - 128, []]);
    clock.now += 100;
    expect(begin("large", MIB).take(MIB)).toBe(true);
    expect(ended).toHaveLength(16);
    expect(ended.every((name) => name.startsWith("small"))).toBe(true);
  });

  it("counts a body without a length as small until it has grown large", () => {
    const { ended, begin, fill } = open();
    fill(7, MIB);
    const unknown = begin("unknown");
    expect(unknown.take(64 * KIB)).toBe(true);
    expect(ended).toEqual([]);
    expect(unknown.take(1)).toBe(true);
    expect(ended).toEqual(["0"]);
  });

  it("reports that there is no room if there is no other body to end", () => {
    const { ended, begin } = open({ limit: 64 * KIB, bodyLimit: 64 * KIB });
    expect(begin("only").take(65 * KIB)).toBe(false);
    expect(ended).toEqual([]);
  });

  it("has room for one body of the largest allowed size, however small the budget", () => {
    for (const bodyLimit of [1, 1000, 16 * KIB + 1, MIB]) {
      const budget = new BodyBudget({ limit: bodyLimit, bodyLimit });
      const blocks = Math.ceil(bodyLimit / (16 * KIB)) * 16 * KIB;
      expect(budget.open(bodyLimit, () => {}).grow(bodyLimit, blocks)).toBe(true);
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
    const step = fc.record({
      body: fc.nat(30),
      bytes: fc.integer({ min: 1, max: MIB / 2 }),
      wait: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { budget, clock, ended, begin } = open();
        const bodies = new Map<number, ReturnType<typeof begin>>();
        for (const { body, bytes, wait } of steps) {
          clock.now += wait;
          if (ended.includes(String(body))) continue;
          if (bytes % 7 === 0) bodies.get(body)?.release();
          else {
            const held = bodies.get(body) ?? begin(String(body), bytes % 2 === 0 ? MIB : 0);
            bodies.set(body, held);
            expect(held.take(bytes)).toBe(true);
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
