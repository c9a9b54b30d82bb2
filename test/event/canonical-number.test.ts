import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalNumber, isHeld } from "../../src/event/canonical-number.ts";
import { processorTimeOf } from "../processor-time.ts";

describe("canonicalNumber", () => {
  it.each([
    ["1", ["1", "1.0", "1.000", "10e-1", "1e0", "1E+0", "1e-0", "0.1e1", "0.01E2", "100e-2"]],
    ["0", ["0", "-0", "0.0", "-0.000", "0e5", "0E-99", "-0e+7"]],
    ["-25e-1", ["-2.5", "-2.50", "-25e-1", "-0.25e1"]],
    ["12e2", ["1200", "1.2e3", "12e2", "1200.0", "0.0012e6"]],
    ["1e400", ["1e400", "10e399", "0.1e401"]],
  ])("returns %s for each of its spellings", (canonical, spellings) => {
    expect(spellings.map(canonicalNumber)).toEqual(spellings.map(() => canonical));
  });

  it.each([
    ["12345678901234567890", "12345678901234567891"],
    ["1234567890123456789012345", "1234567890123456789012346"],
    ["1e400", "1e401"],
    ["1e400", "-1e400"],
    ["1e-400", "0"],
    ["1e12345678901234567890", "1e12345678901234567891"],
  ])("[case 35] distinguishes %s and %s, which one double may stand for", (a, b) => {
    expect(canonicalNumber(a)).not.toBe(canonicalNumber(b));
  });

  it("agrees with the exact value: two numbers have the same form exactly if their values are equal", () => {
    const value = fc.record({
      digits: fc.bigInt({ min: -(10n ** 27n), max: 10n ** 27n }),
      power: fc.integer({ min: 0, max: 9 }),
      zeros: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const spelled = [a, b].map(
          ({ digits, power, zeros }) => `${digits}${"0".repeat(zeros)}e${power - zeros}`,
        );
        const same = a.digits * 10n ** BigInt(a.power) === b.digits * 10n ** BigInt(b.power);
        return (canonicalNumber(spelled[0] ?? "") === canonicalNumber(spelled[1] ?? "")) === same;
      }),
    );
  });

  it("takes time proportional to the digits, for a million of them", () => {
    const spent = processorTimeOf(() => {
      expect(canonicalNumber(`1${"0".repeat(1_000_000)}`)).toBe("1e1000000");
      expect(canonicalNumber(`0.${"0".repeat(1_000_000)}1`)).toBe("1e-1000001");
    });
    expect(spent).toBeLessThan(1000);
  });
});

describe("isHeld", () => {
  const held = (text: string) => isHeld(text, canonicalNumber(text));

  it.each([
    ["0", "-0", "0.0", "0e400", "1250.10", "-1e-7", "1e23", "5e-324", "1.7976931348623157e308"],
    ["9007199254740992", "9007199254740994", "-9007199254740992.0", "1000000000000000000000"],
    // As Python's %.17g and older PHP print 0.1, and its exact value.
    ["0.10000000000000001", "0.1000000000000000055511151231257827"],
    // As JavaScript prints a double that lies in the middle of two numbers of 16 digits: with 16
    // digits it would be …7.3.
    ["563525083535967.2"],
  ])("is true of %s, %s, %s …", (...texts) => {
    expect(texts.filter((text) => !held(text))).toEqual([]);
  });

  it.each([
    [
      "9007199254740993",
      "-9007199254740993.0",
      "12345678901234567890",
      "1e400",
      "-1e309",
      "1e-400",
    ],
    ["3.14159265358979323846", "0.1234567890123456789", `1${"0".repeat(15)}1.5`, "1".repeat(400)],
  ])("[case 35] is false of %s, %s, %s …", (...texts) => {
    expect(texts.filter(held)).toEqual([]);
  });

  it("is true of whatever a double is printed as, with up to 17 digits", () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, fc.integer({ min: 1, max: 17 }), (value, digits) => {
        return held(JSON.stringify(value)) && held(String(Number(value.toPrecision(digits))));
      }),
    );
    fc.assert(fc.property(double, (value) => held(value.toPrecision(17))));
  });

  it("is true of an integer exactly if a double has its value", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (value) => {
        // A double in the middle of its neighbours' integers may print the same digits, if they end
        // in zeros.
        const text = String(value);
        return !/[1-9]$/.test(text) || held(text) === (BigInt(Number(text)) === value);
      }),
    );
  });
});
