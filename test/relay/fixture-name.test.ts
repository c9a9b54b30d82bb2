import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixtureName } from "../../src/relay/fixture.ts";

const AT = Date.UTC(2026, 0, 15, 10, 0, 0, 7);

describe("fixtureName", () => {
  it("contains the time, the order, the kind and the beginning of the id", () => {
    expect(fixtureName(AT, 3, "payment.received", "evt_1_0123456789abcdef0123456789")).toBe(
      "20260115T100000.007Z-000003-payment.received-evt_1_0123456789abcd.json",
    );
  });

  it("marks a delivery without a kind", () => {
    expect(fixtureName(AT, 3, null, "raw_1_0123")).toBe(
      "20260115T100000.007Z-000003-rejected-raw_1_0123.json",
    );
  });

  it("sorts by arrival, then by order", () => {
    const moment = fc.tuple(fc.integer({ min: 0, max: 2e12 }), fc.nat({ max: 999_999 }));
    fc.assert(
      fc.property(moment, moment, ([at, order], [otherAt, otherOrder]) => {
        const earlier = at < otherAt || (at === otherAt && order < otherOrder);
        const name = fixtureName(at, order, "z", "z");
        const other = fixtureName(otherAt, otherOrder, "a", "a");
        if (earlier) expect(name < other).toBe(true);
      }),
    );
  });

  it("is safe for file systems and shells, and never too long", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom("../../etc/passwd", "a/b", "a\\b", "\0", "", ".."),
        ),
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("../x", "con", "x".repeat(5000))),
        (kind, id) => {
          const name = fixtureName(AT, 1, kind.repeat(30), id);
          expect(name).toMatch(/^20260115T100000\.007Z-000001-[A-Za-z0-9._-]*\.json$/);
          expect(name.length).toBeLessThan(130);
        },
      ),
    );
  });
});
