import { expect, it } from "vitest";
import { CATALOGUE, CONTROL } from "../../src/check/catalogue.ts";
import { GROUPS, groupOf } from "../../src/check/check-case.ts";
import { selectCases } from "../../src/check/select-cases.ts";
import { SENT } from "../../src/check/words/cases.ts";
import { CAUSES, caseCauseText } from "../../src/check/words/causes.ts";
import { REASONS } from "../../src/check/words/reasons.ts";

const ids = (cases: readonly { id: string }[]) => cases.map(({ id }) => id);

it("every case has a unique id, in the order of the groups and their numbers", () => {
  const groups = Object.keys(GROUPS);
  const places = CATALOGUE.map((checkCase) => {
    return (
      1000 * groups.indexOf(groupOf(checkCase)) + Number(/^[A-Z]+-(\d\d)$/.exec(checkCase.id)?.[1])
    );
  });
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
});

it("every case has a fix in one line", () => {
  const wrong = CATALOGUE.filter(({ id, cause, why }) =>
    [caseCauseText(cause, id), SENT[id], REASONS[why]].some((text) => !/^[^\n|]{3,}$/.test(text)),
  );
  expect(ids(wrong)).toEqual([]);
});

it("every cause and every reason is that of a case", () => {
  const causes = CATALOGUE.flatMap(({ cause, crash, silence }) => [cause, crash, silence]);
  expect(Object.keys(CAUSES).filter((code) => !(causes as string[]).includes(code))).toEqual([]);
  const reasons = CATALOGUE.map(({ why }) => why);
  expect(Object.keys(REASONS).filter((code) => !(reasons as string[]).includes(code))).toEqual([]);
});

it("the preferred answers are among the correct ones", () => {
  const wrong = CATALOGUE.filter(({ expects: { answers, best = [] } }) => {
    return best.some((text) => !answers.includes(text) && !answers.includes(`${text[0]}xx`));
  });
  expect(ids(wrong)).toEqual([]);
});

it("a valid delivery must be answered with exactly 200", () => {
  const twoHundreds = CATALOGUE.filter(
    ({ expects: { answers, runs } }) =>
      runs !== 0 && answers.some((text) => text.startsWith("2") && text !== "200"),
  );
  expect(ids(twoHundreds)).toEqual([]);
});

it("cases are selected by id and by group, always with the control", () => {
  expect(ids(selectCases({ only: ["SIG-04", "DUP-01"] }))).toEqual([CONTROL, "SIG-04", "DUP-01"]);
  expect(ids(selectCases({ only: ["SIG"], skip: ["SIG", CONTROL] }))).toEqual([CONTROL]);
  expect(selectCases({ skip: ["TIME"] })).toHaveLength(CATALOGUE.length - 15);
});

it("a case is also selected by the ids of cases that became part of it", () => {
  const forms = CATALOGUE.filter((checkCase) => groupOf(checkCase) === "GATE");
  for (let number = 1; number <= 60; number++) {
    const former = `GATE-${String(number).padStart(2, "0")}`;
    const [, now, ...others] = ids(selectCases({ only: [former] }));
    expect([now, others]).toEqual([forms.findLast(({ id }) => id <= former)?.id, []]);
    expect(ids(selectCases({ skip: [former] }))).not.toContain(now);
  }
});

it("an unknown name is refused", () => {
  const usage = expect.objectContaining({ code: "usage" });
  expect(() => selectCases({ only: ["SIG-99"] })).toThrow(usage);
  expect(() => selectCases({ skip: ["FOO"] })).toThrow(usage);
});
