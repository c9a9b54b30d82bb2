import { expect, it } from "vitest";
import { CATALOGUE } from "../../src/check/catalogue.ts";
import { groupOf, rightText } from "../../src/check/check-case.ts";
import type { CheckResult } from "../../src/check/check-result.ts";
import { diagnose } from "../../src/check/diagnosis.ts";
import { result } from "./sample.ts";

/** Results of all cases: the named ones failed with an answer, the others passed. */
function results(failures: string): readonly CheckResult[] {
  const failed = new Map(
    failures.split("; ").flatMap((group) => {
      const [ids = "", answer = ""] = group.split(": ");
      return ids.split(" ").map((id) => [id, answer] as const);
    }),
  );
  return CATALOGUE.map((checkCase) => {
    const { id } = checkCase;
    const answer = failed.get(id);
    const right = rightText(checkCase);
    const given = answer ?? checkCase.right[0] ?? "200";
    const base = result({ id, group: groupOf(checkCase), right, answer: given });
    if (answer !== undefined) return { ...base, outcome: "failed", fix: checkCase.fix };
    return /^SIG-3[78]$/.test(id) ? { ...base, outcome: "not_applicable", answer: null } : base;
  });
}

it("there is no common cause if nothing failed, or failures differ", () => {
  expect(diagnose(results(""))).toEqual([]);
  const differ = "SIG-03 TIME-08: 200; BODY-12: 401; HTTP-04: 415";
  expect(diagnose(results(differ))).toEqual([]);
});

it.each([
  [
    "BODY-12 BODY-13 BODY-16: 401",
    /not verify the raw body, but JSON or text.*\(BODY-12, BODY-13, BODY-16\)/,
  ],
  ["BODY-02 BODY-03 BODY-05: 200", /^It does not verify the received bytes/],
  ["SIG-03 SIG-04 SIG-05: 200", /^It accepts another form of the value/],
  ["HTTP-02: 500; HTTP-03: 415; HTTP-04: 400", /^It parses by Content-Type/],
  ["GATE-07: 200, 200", /^It checks the signature only for some content types.*\(GATE-07\)/],
  [
    "SIG-37: 401, 5 × 200, 401, 8 × 200",
    /^It verifies the signature of some kinds only.*\(SIG-37\)/,
  ],
  [
    "SIG-17 SIG-18: 200; SIG-38: 15 × 200; GATE-01: 401, 200",
    /^Any signature of the right form is confirmed/,
  ],
  [
    "GATE-19 GATE-48: 200; GATE-54: 404, 200",
    /^It checks the signature only for some methods.*\(GATE-19, GATE-48, GATE-54\)/,
  ],
  [
    "GATE-42: 4 × 200; GATE-45: 401, 200",
    /^It checks the signature only for some forms or sizes.*\(GATE-42, GATE-45\)/,
  ],
  ["SIG-01 GATE-01 GATE-22 GATE-45: 200; GATE-42: 4 × 200", /^Unsigned deliveries are confirmed/],
  [
    "SIG-01 SIG-10 SIG-16 GATE-01 GATE-04 GATE-10: 200",
    /^Signatures that cannot be compared are confirmed/,
  ],
  ["SIG-01 SIG-10 SIG-11 GATE-01 GATE-04 GATE-10: 200", /^Only as many digits/],
  ["BODY-09 BODY-19 BODY-21: 401", /^The receiver does not verify the raw body, but text decoded/],
  ["SIG-10 BODY-22: 500; SIG-11: closed", /^Unusual input makes the code fail/],
  ["SIG-01 SIG-02 SIG-17 SIG-18: 200", /not verified at all/],
  ["KIND-01 BODY-12: 401", /the secrets differ/],
  ["KIND-01: 404", /check the path/],
])("behind the failures %s is recognised: %s", (failed, text) => {
  expect(diagnose(results(failed))).toEqual([expect.stringMatching(text)]);
});
