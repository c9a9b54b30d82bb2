import { expect, it } from "vitest";
import type { ProbeAnswer } from "../../src/check/answer.ts";
import { CATALOGUE } from "../../src/check/catalogue.ts";
import type { CheckResult } from "../../src/check/check-result.ts";
import { diagnose } from "../../src/check/diagnosis.ts";
import { causeText } from "../../src/check/words/common-causes.ts";
import { result, statuses } from "./sample.ts";

/** Results of all cases: the named ones failed with their answers, the others passed. */
function results(failures: string): readonly CheckResult[] {
  const failed = new Map(
    failures.split("; ").flatMap((group) => {
      const [ids = "", answers = ""] = group.split(": ");
      return ids.split(" ").map((id) => [id, answersIn(answers)] as const);
    }),
  );
  return CATALOGUE.map(({ id, cause, expects, shows }) => {
    const answers = failed.get(id);
    if (answers !== undefined)
      return result(id, { outcome: "failed", answers, fault: { code: cause } });
    const isOfKinds = shows === "unsigned_kinds" || shows === "wrong_kinds";
    if (isOfKinds) return result(id, { outcome: "not_applicable", answers: [] });
    return result(id, { answers: answersIn(expects.answers[0]?.replace("xx", "00") ?? "200") });
  });
}

/** Answers as reports write them: `401, 5 × 200`. */
function answersIn(text: string): readonly ProbeAnswer[] {
  return text.split(", ").flatMap((part) => {
    const [answer = "", times = "1"] = part.split(" × ").reverse();
    const one: ProbeAnswer =
      answer === "closed" ? { type: "closed" } : { type: "status", status: Number(answer) };
    return Array.from({ length: Number(times) }, () => one);
  });
}

const textsOf = (failures: string) => diagnose(results(failures)).map(causeText);

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
  expect(textsOf(failed)).toEqual([expect.stringMatching(text)]);
});

/** Results in which these forgeries were confirmed, each by its name, and the others refused. */
function kinds(failures: string, confirmed: Readonly<Record<string, readonly string[]>>) {
  return results(failures).map((found) => {
    const names = confirmed[found.checkCase.id];
    if (names === undefined) return found;
    return {
      ...found,
      outcome: "failed" as const,
      answers: statuses(...names.map(() => 200), 401),
      confirmed: names.map((name) => ({ name, isUnsigned: found.checkCase.id === "SIG-37" })),
      fault: { code: found.checkCase.cause },
    };
  });
}

const codesOf = (found: readonly CheckResult[]) =>
  diagnose(found).map(({ code, cases }) => ({ code, cases }));
const SAMPLE = ["property.created", "marked as a test"];

it("a receiver that compares nothing in some kinds only is not said to compare nothing", () => {
  const wrong = kinds("SIG-17 SIG-18 SIG-21: 200", { "SIG-38": SAMPLE });
  expect(codesOf(wrong)).toEqual([{ code: "some_kinds_verified", cases: ["SIG-38"] }]);
  const both = kinds("SIG-01 SIG-02 SIG-17 SIG-18: 200", { "SIG-37": SAMPLE, "SIG-38": SAMPLE });
  expect(codesOf(both)).toEqual([{ code: "some_kinds_verified", cases: ["SIG-37", "SIG-38"] }]);
});

it("a receiver that takes unsigned deliveries of some kinds only is not said to take all", () => {
  const unsigned = kinds("SIG-01: 200", { "SIG-37": SAMPLE });
  expect(codesOf(unsigned)).toEqual([{ code: "some_kinds_verified", cases: ["SIG-37"] }]);
});

it("forgeries are not said to get in at random if the plain one was not sent", () => {
  const { checkCase } = result("SIG-01");
  const kindsAlone = kinds("", { "SIG-37": [...SAMPLE, "ping"] }).filter(
    (found) => found.checkCase.id !== checkCase.id,
  );
  expect(codesOf(kindsAlone)).toEqual([{ code: "some_kinds_verified", cases: ["SIG-37"] }]);
  const refused = kinds("", { "SIG-37": [...SAMPLE, "ping"] });
  expect(codesOf(refused)).toMatchObject([{ code: "forged_at_random" }]);
});
