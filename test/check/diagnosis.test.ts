import { expect, it } from "vitest";
import { CATALOGUE } from "../../src/check/catalogue.ts";
import { groupOf, rightText } from "../../src/check/check-case.ts";
import type { CheckResult } from "../../src/check/check-result.ts";
import { diagnose } from "../../src/check/diagnosis.ts";
import { result } from "./sample.ts";

/** Results of all cases: the named ones failed with an answer, the others passed. */
function results(failed: Readonly<Record<string, string>>): readonly CheckResult[] {
  return CATALOGUE.map((checkCase) => {
    const { id } = checkCase;
    const answer = failed[id];
    const base = result({
      id,
      group: groupOf(checkCase),
      right: rightText(checkCase),
      answer: answer ?? checkCase.right[0] ?? "200",
    });
    if (answer !== undefined) return { ...base, outcome: "failed", fix: checkCase.fix };
    return /^SIG-3[78]$/.test(id) ? { ...base, outcome: "not_applicable", answer: null } : base;
  });
}

it("there is no common cause if nothing failed, or failures differ", () => {
  expect(diagnose(results({}))).toEqual([]);
  expect(
    diagnose(results({ "SIG-03": "200", "BODY-12": "401", "HTTP-04": "415", "TIME-08": "200" })),
  ).toEqual([]);
});

it.each([
  [
    "re-serialised JSON",
    { "BODY-12": "401", "BODY-13": "401", "BODY-16": "401" },
    /does not verify the raw body, but JSON or text.*\(BODY-12, BODY-13, BODY-16\)/,
  ],
  [
    "changed bytes",
    { "BODY-02": "200", "BODY-03": "200", "BODY-05": "200" },
    /^It does not verify the received bytes/,
  ],
  [
    "a loose form",
    { "SIG-03": "200", "SIG-04": "200", "SIG-05": "200" },
    /^It accepts another form of the value/,
  ],
  [
    "a parser that picks by type",
    { "HTTP-02": "500", "HTTP-03": "415", "HTTP-04": "400" },
    /^It parses by Content-Type/,
  ],
  [
    "a check for some content types only",
    { "GATE-07": "200, 200" },
    /^It checks the signature only for some content types.*\(GATE-07\)/,
  ],
  [
    "a check for some kinds only",
    { "SIG-37": "401, 5 × 200, 401, 8 × 200" },
    /^It verifies the signature of some kinds only.*\(SIG-37\)/,
  ],
  [
    "no comparison",
    { "SIG-17": "200", "SIG-18": "200", "SIG-38": "15 × 200", "GATE-01": "401, 200" },
    /^Any signature of the right form is confirmed/,
  ],
  [
    "a check for some methods and paths only",
    { "GATE-19": "200", "GATE-48": "200", "GATE-54": "404, 200" },
    /^It checks the signature only for some methods.*\(GATE-19, GATE-48, GATE-54\)/,
  ],
  [
    "a check for plain bodies only",
    { "GATE-42": "4 × 200", "GATE-45": "401, 200" },
    /^It checks the signature only for some forms or sizes.*\(GATE-42, GATE-45\)/,
  ],
  [
    "verification only if there is a signature",
    { "SIG-01": "200", "GATE-01": "200", "GATE-22": "200", "GATE-42": "4 × 200", "GATE-45": "200" },
    /^Unsigned deliveries are confirmed/,
  ],
  [
    "an error that counts as success",
    {
      "SIG-01": "200",
      "SIG-10": "200",
      "SIG-16": "200",
      "GATE-01": "200",
      "GATE-04": "200",
      "GATE-10": "200",
    },
    /^Signatures that cannot be compared are confirmed/,
  ],
  [
    "a comparison of as many digits as were sent",
    {
      "SIG-01": "200",
      "SIG-10": "200",
      "SIG-11": "200",
      "GATE-01": "200",
      "GATE-04": "200",
      "GATE-10": "200",
    },
    /^Only as many digits/,
  ],
  [
    "a body decoded as Latin-1",
    { "BODY-09": "401", "BODY-19": "401", "BODY-21": "401" },
    /^The receiver does not verify the raw body, but text decoded/,
  ],
  [
    "code that throws",
    { "SIG-10": "500", "SIG-11": "closed", "BODY-22": "500" },
    /^Unusual input makes the code fail/,
  ],
  [
    "no verification",
    { "SIG-01": "200", "SIG-02": "200", "SIG-17": "200", "SIG-18": "200" },
    /not verified at all/,
  ],
  ["another secret", { "KIND-01": "401", "BODY-12": "401" }, /the secrets differ/],
  ["a wrong path", { "KIND-01": "404" }, /check the path/],
])("%s is recognised behind failures", (_, failed, text) => {
  expect(diagnose(results(failed))).toEqual([expect.stringMatching(text)]);
});
