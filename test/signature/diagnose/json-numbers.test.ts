import { describe, expect, it } from "vitest";
import { distinctNumbers, NUMBERS } from "../../../src/signature/diagnose/json-numbers.ts";

const NUMBERS_GIVEN =
  "0 -0 -0.0 0.0 1.0 1.10 100 1e5 999999.5 1e6 1e7 12345678.9 0.001 0.00012 0.0001 0.00001 1.5e-7 1e14 1e15 1e16 1e17 " +
  "123456789012345.6 1234567890123456.7 12345678901234567.8 1e21 -1.5 9223372036854775807 9223372036854775808 " +
  "18446744073709551616 12345678901234567890123 0.30000000000000004 -2.50";

/** Written by Python 3, PHP 8.2, Ruby 3.1, Java 17 and jq 1.6. */
const PRINTED: Partial<Record<keyof typeof NUMBERS, string>> = {
  python:
    "0 0 -0.0 0.0 1.0 1.1 100 100000.0 999999.5 1000000.0 10000000.0 12345678.9 0.001 0.00012 0.0001 1e-05 1.5e-07 " +
    "100000000000000.0 1000000000000000.0 1e+16 1e+17 123456789012345.6 1234567890123456.8 1.2345678901234568e+16 1e+21 -1.5 " +
    "9223372036854775807 9223372036854775808 18446744073709551616 12345678901234567890123 0.30000000000000004 -2.5",
  php:
    "0 0 -0 0 1 1.1 100 100000 999999.5 1000000 10000000 12345678.9 0.001 0.00012 0.0001 1.0e-5 1.5e-7 100000000000000 " +
    "1000000000000000 10000000000000000 1.0e+17 123456789012345.6 1234567890123456.8 12345678901234568 1.0e+21 -1.5 " +
    "9223372036854775807 9.223372036854776e+18 1.8446744073709552e+19 1.2345678901234568e+22 0.30000000000000004 -2.5",
  ruby:
    "0 0 -0.0 0.0 1.0 1.1 100 100000.0 999999.5 1000000.0 10000000.0 12345678.9 0.001 0.00012 0.0001 1.0e-05 1.5e-07 " +
    "100000000000000.0 1.0e+15 1.0e+16 1.0e+17 123456789012345.6 1234567890123456.8 1.2345678901234568e+16 1.0e+21 -1.5 " +
    "9223372036854775807 9223372036854775808 18446744073709551616 12345678901234567890123 0.30000000000000004 -2.5",
  jq:
    "0 -0 -0 0 1 1.1 100 100000 999999.5 1000000 10000000 12345678.9 0.001 0.00012 0.0001 1e-05 1.5e-07 100000000000000 " +
    "1000000000000000 1e+16 1e+17 123456789012345.6 1234567890123456.8 12345678901234568 1e+21 -1.5 9223372036854776000 " +
    "9223372036854776000 18446744073709552000 12345678901234568000000 0.30000000000000004 -2.5",
  gson:
    "0.0 -0.0 -0.0 0.0 1.0 1.1 100.0 100000.0 999999.5 1000000.0 1.0E7 1.23456789E7 0.001 1.2E-4 1.0E-4 1.0E-5 1.5E-7 " +
    "1.0E14 1.0E15 1.0E16 1.0E17 1.234567890123456E14 1.2345678901234568E15 1.2345678901234568E16 1.0E21 -1.5 " +
    "9.223372036854776E18 9.223372036854776E18 1.8446744073709552E19 1.2345678901234568E22 0.30000000000000004 -2.5",
  bigDecimal:
    "0 -0 0.0 0.0 1.0 1.10 100 1E+5 999999.5 1E+6 1E+7 12345678.9 0.001 0.00012 0.0001 0.00001 1.5E-7 1E+14 1E+15 1E+16 " +
    "1E+17 123456789012345.6 1234567890123456.7 12345678901234567.8 1E+21 -1.5 9223372036854775807 9223372036854775808 " +
    "18446744073709551616 12345678901234567890123 0.30000000000000004 -2.50",
};

describe("NUMBERS", () => {
  it.each(Object.entries(PRINTED))("prints them as by %s", (name, printed) => {
    const { spell } = NUMBERS[name as keyof typeof NUMBERS];
    expect(NUMBERS_GIVEN.split(" ").map((number) => `${number} ${spell(number)}`)).toEqual(
      NUMBERS_GIVEN.split(" ").map((number, at) => `${number} ${printed.split(" ")[at]}`),
    );
  });

  it.each([
    ["javascript", "-0 1.0 1e21 1e-7", "0 1 1e+21 1e-7"],
    ["go", "-0 -0.0 1.0 1e21", "-0 -0 1 1e+21"],
    ["postgres", "-0.0 -1.50 1e3 1.5e3 1.5e-3 -1e-2", "0.0 -1.50 1000 1500 0.0015 -0.01"],
    ["postgres", "0.5e1 0e2 0.0e-2 1e-400 1e401", `5 0 0.000 0.${"0".repeat(399)}1 1e401`],
    ["bigDecimal", "1.5e3 1.0e-7 1e-6 1.0e400 1e401", "1.5E+3 1.0E-7 0.000001 1.0E+400 1e401"],
    ["python", "1e400 -1e400", "Infinity -Infinity"],
    ["net", "1.0 1e14 1e15 0.0001 0.00001 1.5e20", "1 100000000000000 1E+15 0.0001 1E-05 1.5E+20"],
    ["net", "1234567890123456.7 12345678901234567.8", "1234567890123456.8 12345678901234568"],
    ["newtonsoft", "1.0 1.5 1e15", "1.0 1.5 1E+15"],
    ["rust", "1e15 1e16 0.00001 0.000001 1.5e-7", "1000000000000000.0 1e16 0.00001 1e-6 1.5e-7"],
    ["java", "-0 1e400 1.0 1e7", "0 1e400 1.0 1.0E7"],
  ] as const)("prints them as by %s: %s", (name, numbers, printed) => {
    expect(numbers.split(" ").map(NUMBERS[name].spell).join(" ")).toBe(printed);
  });
});

describe("distinctNumbers", () => {
  const names = (...tokens: readonly string[]) => distinctNumbers(tokens).map(({ name }) => name);

  it("names the languages that print the same together, up to three", () => {
    expect(names("1.0")).toEqual(["as JavaScript, PHP and others print them"]);
    const two = distinctNumbers(["1.50"], [NUMBERS.go, NUMBERS.javascript, NUMBERS.go]);
    expect(two).toMatchObject([{ name: "as Go and JavaScript print them", spelt: ["1.5"] }]);
    const three = distinctNumbers(["1.50"], [NUMBERS.go, NUMBERS.javascript, NUMBERS.jq]);
    expect(three).toMatchObject([{ name: "as Go, JavaScript and jq print them" }]);
    expect(distinctNumbers(["1e-7"], [NUMBERS.python])).toMatchObject([
      { name: "as Python prints them" },
    ]);
  });

  it("has no style that changes nothing, and none without numbers", () => {
    expect(names("1", "-2")).toEqual(["as Gson prints them"]);
    expect(names('"1.0"', "null")).toEqual([]);
  });
});
