import { expect, it } from "vitest";
import { CATALOGUE } from "../../src/check/catalogue.ts";
import { GROUPS, groupOf } from "../../src/check/check-case.ts";
import { MARKS } from "../../src/check/check-result.ts";
import { expectedText } from "../../src/check/words/answers.ts";
import { SENT } from "../../src/check/words/cases.ts";
import { caseCauseText } from "../../src/check/words/causes.ts";
import { right } from "../check/receivers/right.ts";
import { SECRET } from "../check/receivers/under-test.ts";
import { runCli } from "../cli/fake-io.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/check.md");

it.each(Object.entries(GROUPS))(
  "the page lists every case of %s as in the code, and no other",
  (group, title) => {
    const inCode = CATALOGUE.filter((checkCase) => groupOf(checkCase) === group).map(
      (checkCase) => {
        // the section says it once
        const sent = SENT[checkCase.id].replace(/^unsigned and wrongly signed: /, "");
        const fault = caseCauseText(checkCase.cause, checkCase.id).replace(/:.*$/s, "");
        return [checkCase.id, sent, ...answerCell(checkCase), fault];
      },
    );
    expect(casesOf(sectionOf(page, `${group}: ${title}`))).toEqual(ofOneKind(inCode));
  },
);

/** The rows of a section's table, one for each of the cases that share one there. */
function casesOf(section: string): readonly (readonly string[])[] {
  return rowsOf(section).flatMap(([cases = "", ...cells]) =>
    cases.split("<br>").map((part) => {
      const [, id = "", sent = ""] = /^(.+?): (.*)$/.exec(part) ?? [];
      return [id, sent, ...cells];
    }),
  );
}

/**
 * The right answer, with the severity of a wrong one unless that is `required`. What is the same
 * for all of GATE is in its section.
 */
function answerCell(checkCase: (typeof CATALOGUE)[number]): readonly string[] {
  const right = expectedText(checkCase.expects);
  if (groupOf(checkCase) !== "GATE")
    return [checkCase.severity === "required" ? right : `${right} (${checkCase.severity})`];
  const observed = SENT[checkCase.id].includes(", observed");
  expect([checkCase.id, right, checkCase.severity]).toEqual([
    checkCase.id,
    observed ? "any answer, never runs" : "refused, never runs",
    "required",
  ]);
  return [];
}

it("the page says what is right for all cases of GATE, and what a failure is if the row names no severity", () => {
  expect(page).toContain(
    "must be refused, and must never run. Those that are observed may be answered in any way",
  );
  expect(page).toContain("A failure is `required` unless its right answer names another severity");
});

/** The rows with one for all cases that differ only in the kind, as on the page. */
function ofOneKind(rows: readonly string[][]): readonly (readonly string[])[] {
  const ofKinds = rows.filter(([, , , fault = ""]) => /^it does not accept [\w.]+$/.test(fault));
  const first = ofKinds.at(0);
  const last = ofKinds.at(-1);
  const kinds = ofKinds.map(([, sent = ""]) => sent.replace("a valid ", ""));
  const all = `a valid ${kinds.slice(0, -1).join(", ")} or ${kinds.at(-1)}`;
  return rows.flatMap((row) => {
    if (!ofKinds.includes(row)) return [row];
    if (row !== first) return [];
    return [[`${row[0]} to ${last?.[0]}`, all, ...row.slice(2, 3), "it does not accept the kind"]];
  });
}

it("the page has every mark and what it stands for, and no other", () => {
  const marks = rowsOf(sectionOf(page, "What the marks mean")).map(([mark, outcome = ""]) => {
    return [quoted(outcome).at(-1), mark];
  });
  expect(Object.fromEntries(marks)).toEqual(MARKS);
});

it("the pages have the number of cases", () => {
  expect(page).toContain(`sends ${CATALOGUE.length} cases`);
  expect(readPage("docs/quickstart/qa.md")).toContain(`${CATALOGUE.length} cases`);
});

it("the page lists the fields of the JSON report, and no other", async () => {
  const { url } = await right();
  const argv = ["check", url.href, "--only", "SIG-01", "--format", "json"];
  const { stdout } = await runCli(argv, { env: { HOOKPORTER_SECRET: SECRET } });
  const { cases, summary, responseTimes, ...whole } = JSON.parse(stdout);
  const inCode = [
    ...Object.keys({ ...whole, summary, cases, responseTimes }),
    ...Object.keys(responseTimes),
    ...Object.keys(summary),
    ...Object.keys(cases[0]),
  ];
  const onPage = rowsOf(sectionOf(page, "The JSON report")).flatMap(([fields = ""]) =>
    quoted(fields),
  );
  expect(onPage.map((field) => field.replace(/^.*\./, "")).sort()).toEqual(inCode.sort());
});
