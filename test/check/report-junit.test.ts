import { spawnSync } from "node:child_process";
import { DOMParser } from "@xmldom/xmldom";
import { expect, it } from "vitest";
import type { CheckReport } from "../../src/check/check-result.ts";
import { junitReport } from "../../src/check/report-junit.ts";
import { reportOf, result, statuses } from "./sample.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const NASTY = "a <b> & \"c\" 'd' ]]> \u0000\u001b[31m \ud800 \uffff é 🏠";

const failed = { outcome: "failed", fault: { code: "not_200", status: 204 } } as const;
const results = [
  result(),
  result("SIG-02", {
    outcome: "failed",
    answers: statuses(200),
    fault: { code: "not_observed", detail: NASTY },
  }),
  result("SIG-03", { ...failed, severity: "recommended" }),
  result("SIG-04", { ...failed, severity: "informational" }),
  result("DUP-04", { outcome: "not_applicable", answers: [], fault: { code: "no_observer" } }),
];

const STOPPED = { code: "not_begun", detail: "it has ended", by: null } as const;
const STOPPED_BY_CASE = {
  code: "unreachable",
  absence: { code: "process_ended" },
  by: "SIG-02",
} as const;

const xmlOf = (strict: boolean, ending: Partial<CheckReport> = {}) =>
  junitReport(
    reportOf(ending.results ?? results, { url: "http://127.0.0.1:3000/a?b&c", ...ending }),
    strict,
  );

/** Fails at the parser's first message. */
function parse(xml: string) {
  const onError = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`);
  };
  const { documentElement } = new DOMParser({ onError }).parseFromString(xml, "text/xml");
  if (documentElement === null) throw new Error("there is no document element");
  return documentElement;
}

it("the report is well-formed XML, whatever the results contain", () => {
  const message = parse(xmlOf(false)).getElementsByTagName("failure")[0]?.textContent;
  expect(message).toContain("a <b> & \"c\" 'd' ]]> ??[31m ? ? é 🏠");
});

it.skipIf(!hasPython)(
  "the report is well-formed for expat, which is strict about characters too",
  () => {
    const script =
      "import sys, xml.etree.ElementTree as tree; tree.fromstring(sys.stdin.buffer.read())";
    const { status, stderr } = spawnSync("python3", ["-c", script], { input: xmlOf(false) });
    expect([status, String(stderr)]).toEqual([0, ""]);
  },
);

it("the report has the structure that JUnit readers expect: suites with counts, and tests", () => {
  const root = parse(xmlOf(false));
  const attributes = (name: string) =>
    [...root.getElementsByTagName("testsuite")].map((one) => one.getAttribute(name));
  expect(root.tagName).toBe("testsuites");
  const counts = ["tests", "failures", "errors", "time"].map((name) => root.getAttribute(name));
  expect(counts).toEqual(["5", "1", "0", "1.234"]);
  expect(attributes("name")).toEqual(["SIG signatures", "DUP duplicates"]);
  expect(attributes("tests")).toEqual(["4", "1"]);
  expect(attributes("failures")).toEqual(["1", "0"]);
  expect(attributes("skipped")).toEqual(["2", "1"]);
  const [first] = root.getElementsByTagName("testcase");
  expect(first?.getAttribute("classname")).toBe("hookporter.check.SIG");
  expect(first?.getAttribute("time")).toBe("0.012");
});

it("the case that ended the run is an error and no failure, or else the run is", () => {
  const counted = (ending: Partial<CheckReport>) => {
    const root = parse(xmlOf(false, ending));
    return [root, ...root.getElementsByTagName("testsuite")].map((one) =>
      ["tests", "failures", "errors"].map((name) => Number(one.getAttribute(name))),
    );
  };
  expect(counted({ stopped: STOPPED_BY_CASE })).toEqual([
    [5, 0, 1],
    [4, 0, 1],
    [1, 0, 0],
  ]);
  expect(counted({ stopped: STOPPED })).toEqual([
    [6, 1, 1],
    [4, 1, 0],
    [1, 0, 0],
    [1, 0, 1],
  ]);
});

it("results that fail the run are failures; advice and cases that are not applicable are skipped with a reason", () => {
  const kinds = (strict: boolean) =>
    [...parse(xmlOf(strict)).getElementsByTagName("testcase")].map(
      (one) => one.getElementsByTagName("*")[0]?.tagName ?? "passed",
    );
  expect(kinds(false)).toEqual(["passed", "failure", "skipped", "skipped", "skipped"]);
  expect(kinds(true)).toEqual(["passed", "failure", "failure", "skipped", "skipped"]);
  const skipped = [...parse(xmlOf(false)).getElementsByTagName("skipped")].map((one) =>
    one.getAttribute("message"),
  );
  expect(skipped).toEqual([
    "recommended: answered 401, expected refused: 204 does not confirm a delivery: answer exactly 200",
    "informational: answered 401, expected refused: 204 does not confirm a delivery: answer exactly 200",
    "cannot be seen without --observe",
  ]);
});

/**
 * What the schema of Jenkins' xUnit plugin (junit-10) allows, as far as reports like ours need it:
 * the names of the attributes and the children of each element.
 */
const OUTPUT = ["system-out", "system-err"];
const COUNTS = ["name", "time", "tests", "failures", "errors"];
const SUITE = ["skipped", "timestamp", "hostname", "id", "package"];
const OUTCOME = ["type", "message"];
const SCHEMA: Readonly<Record<string, readonly string[]>> = {
  testsuites: [...COUNTS, "disabled", "testsuite"],
  testsuite: [...COUNTS, ...SUITE, "properties", "testcase", ...OUTPUT],
  properties: ["property"],
  property: ["name", "value"],
  testcase: ["name", "time", "classname", "group", "skipped", "error", "failure", ...OUTPUT],
  error: OUTCOME,
  failure: OUTCOME,
  skipped: OUTCOME,
};

it.each([false, true])(
  "the report has only what Jenkins' xUnit schema allows (strict: %s)",
  (strict) => {
    const endings = [{}, { stopped: STOPPED_BY_CASE }, { stopped: STOPPED, results: [] }];
    const roots = endings.map((ending) => parse(xmlOf(strict, ending)));
    const elements = roots.flatMap((root) => [...root.getElementsByTagName("*"), root]);
    expect(elements.length).toBeGreaterThan(10);
    const wrong = elements.flatMap((element) => {
      const attributes = [...element.attributes].map(({ name }) => name);
      const children = [...element.childNodes].filter(({ nodeType }) => nodeType === 1);
      return [...attributes, ...children.map(({ nodeName }) => nodeName)]
        .filter((name) => SCHEMA[element.tagName]?.includes(name) !== true)
        .map((name) => `${element.tagName}: ${name}`);
    });
    expect(wrong).toEqual([]);
  },
);
