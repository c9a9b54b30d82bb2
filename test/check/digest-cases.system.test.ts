import { expect, it } from "vitest";
import { selectCases } from "../../src/check/select-cases.ts";
import { HEX_FAULTS, hexFault } from "./receivers/hex-faults.ts";
import { ownNode } from "./receivers/own.ts";
import { optionsFor, runCheck } from "./sample.ts";

/** All but those that take long, and other forgeries. */
const cases = selectCases({ skip: ["GATE", "HTTP-09", "HTTP-10", "HTTP-11", "HTTP-12"] });

/** What each fault in the hex fails, and how the common cause of that reads. */
const EXPECTED: Readonly<Record<keyof typeof HEX_FAULTS, readonly [string, RegExp]>> = {
  bigInteger: ["SIG-29 SIG-30", /as one number, .*BigInteger.* 1 of 16 .*\(SIG-29, SIG-30\)$/],
  evenBigInteger: ["SIG-30", /zero bytes at the start.* 1 of 256 .*\(SIG-30\)$/],
  signedBigInteger: ["SIG-34", /as a signed number.* 1 of 2 .*\(SIG-34\)$/],
  eachByte: [
    "SIG-29 SIG-30 SIG-31 SIG-32",
    /each byte without.* 7 of 8 .*\(SIG-31, SIG-29, SIG-30, SIG-32\)$/,
  ],
  leftStripped: ["SIG-09 SIG-47", /as a set of characters.* 1 of 4 .*\(SIG-47\)$/],
  stripped: ["SIG-09 SIG-47 SIG-48", /as a set of characters.* 1 of 4 .*\(SIG-47, SIG-48\)$/],
  trimmed: ["SIG-33", /zeros at the end.* 1 of 16 .*\(SIG-33\)$/],
  untilZero: ["SIG-30 SIG-32", /ends at a zero byte.* 1 of 8 .*\(SIG-32, SIG-30\)$/],
  strcmp: ["SIG-35", /zero byte.*1 of 256 forgeries/i],
  asNumbers: ["SIG-36 SIG-40", /^Only a part of the digest.*\(SIG-36, SIG-40\)$/],
};

it.each(Object.keys(HEX_FAULTS) as (keyof typeof HEX_FAULTS)[])(
  "a receiver with the fault %s fails the cases with such digests and no other that is signed",
  async (name) => {
    const { url } = await hexFault(name);
    const { results, diagnosis } = await runCheck({
      ...optionsFor(url),
      cases,
      timeout: 10_000,
      concurrency: 8,
    });
    const [failed, cause] = EXPECTED[name];
    const refused = results.filter(({ id, outcome, severity, answer }) => {
      return (
        outcome === "failed" &&
        severity === "required" &&
        (answer?.includes("401") || /SIG/.test(id))
      );
    });
    expect(refused.map(({ id }) => id).join(" ")).toBe(failed);
    expect(diagnosis).toEqual([expect.stringMatching(cause)]);
  },
);

it("hookporter's own receiver passes all digests", async () => {
  const { url } = await ownNode();
  const { counts } = await runCheck({ ...optionsFor(url, "SIG"), timeout: 10_000, concurrency: 8 });
  expect(counts).toMatchObject({ total: 49, passed: 49 });
});
