import { spawnSync } from "node:child_process";
import { DOMParser } from "@xmldom/xmldom";
import { expect, it } from "vitest";
import { type CheckReport, type CheckResult, countResults } from "../../src/check/check-result.ts";
import { junitReport } from "../../src/check/report-junit.ts";
import { result } from "./sample.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const NASTY = "a <b> & \"c\" 'd' ]]> \u0000\u001b[31m \ud800 \uffff é 🏠";

const results = [
  result(),
  result({ id: "SIG-02", outcome: "failed", answer: "200", fix: NASTY, sent: NASTY }),
  result({ id: "SIG-03", outcome: "failed", severity: "recommended", fix: "do" }),
  result({ id: "SIG-04", outcome: "failed", severity: "informational", fix: "do" }),
  result({
    id: "DUP-04",
    group: "DUP",
    outcome: "not_applicable",
    answer: null,
    fix: "could not be seen",
  }),
];

function xmlOf(
  strict: boolean,
  given: readonly CheckResult[] = results,
  ending: Partial<CheckReport> = {},
): string {
  return junitReport(
    {
      proof: null,
      requests: 1,
      url: "http://127.0.0.1:3000/a?b&c",
      startedAt: "2026-01-15T09:30:00.000Z",
      duration: 1234,
      results: given,
      diagnosis: [],
      stopped: null,
      endedBy: null,
      isReceiversFault: false,
      responseTimes: null,
      counts: countResults(given),
      ...ending,
    },
    strict,
  );
}

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
  expect(["tests", "failures", "errors", "time"].map((name) => root.getAttribute(name))).toEqual([
    "5",
    "1",
    "0",
    "1.234",
  ]);
  expect(attributes("name")).toEqual(["SIG signatures", "DUP duplicates"]);
  expect([attributes("tests"), attributes("failures"), attributes("skipped")]).toEqual([
    ["4", "1"],
    ["1", "0"],
    ["2", "1"],
  ]);
  const [first] = root.getElementsByTagName("testcase");
  expect([first?.getAttribute("classname"), first?.getAttribute("time")]).toEqual([
    "hookporter.check.SIG",
    "0.012",
  ]);
});

it("the case that ended the run is an error and no failure, or else the run is", () => {
  const counted = (ending: Partial<CheckReport>) => {
    const root = parse(xmlOf(false, results, ending));
    return [root, ...root.getElementsByTagName("testsuite")].map((one) =>
      ["tests", "failures", "errors"].map((name) => Number(one.getAttribute(name))),
    );
  };
  const whole = { stopped: "it has ended" };
  expect(counted({ ...whole, endedBy: "SIG-02" })).toEqual([
    [5, 0, 1],
    [4, 0, 1],
    [1, 0, 0],
  ]);
  expect(counted(whole)).toEqual([
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
    "recommended: answered 401, expected 4xx: do",
    "informational: answered 401, expected 4xx: do",
    "could not be seen",
  ]);
});

/**
 * What the schema of Jenkins' xUnit plugin (junit-10) allows, as far as reports like ours need it:
 * the attributes and the children of each element.
 */
const SCHEMA: Readonly<
  Record<string, { attributes: readonly string[]; children: readonly string[] }>
> = {
  testsuites: {
    attributes: ["name", "time", "tests", "failures", "disabled", "errors"],
    children: ["testsuite"],
  },
  testsuite: {
    attributes: [
      "name",
      "tests",
      "failures",
      "errors",
      "time",
      "skipped",
      "timestamp",
      "hostname",
      "id",
      "package",
    ],
    children: ["properties", "testcase", "system-out", "system-err"],
  },
  properties: { attributes: [], children: ["property"] },
  property: { attributes: ["name", "value"], children: [] },
  testcase: {
    attributes: ["name", "time", "classname", "group"],
    children: ["skipped", "error", "failure", "system-out", "system-err"],
  },
  error: { attributes: ["type", "message"], children: [] },
  failure: { attributes: ["type", "message"], children: [] },
  skipped: { attributes: ["type", "message"], children: [] },
};

it.each([false, true])(
  "the report has only what Jenkins' xUnit schema allows (strict: %s)",
  (strict) => {
    const endings = [
      {},
      { stopped: "it has ended", endedBy: "SIG-02" },
      { stopped: "no case was run", results: [] },
    ];
    const roots = endings.map((ending) => parse(xmlOf(strict, results, ending)));
    const elements = roots.flatMap((root) => [...root.getElementsByTagName("*"), root]);
    expect(elements.length).toBeGreaterThan(10);
    const wrong = elements.flatMap((element) => {
      const allowed = SCHEMA[element.tagName];
      const attributes = [...element.attributes].map(({ name }) => name);
      const children = [...element.childNodes]
        .filter((node) => node.nodeType === 1)
        .map((node) => node.nodeName);
      return [
        ...attributes.filter((name) => allowed?.attributes.includes(name) !== true),
        ...children.filter((name) => allowed?.children.includes(name) !== true),
      ].map((name) => `${element.tagName}: ${name}`);
    });
    expect(wrong).toEqual([]);
  },
);
