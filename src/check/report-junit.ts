import { escapeInvisible } from "../base/text/escape-invisible.ts";
import { GROUPS, type Group } from "./check-case.ts";
import { type CheckReport, isFatal } from "./check-result.ts";
import { furtherCauses, verdictOnReport } from "./verdict.ts";
import { causeText } from "./words/common-causes.ts";
import { type ReportedCase, reportInWords } from "./words/report.ts";
import { verdictText } from "./words/verdicts.ts";

/**
 * A report as JUnit XML: a suite per group, a test per case. Results that fail the run are a
 * `failure`; cases that were not applicable, or failed only as advice, are `skipped` with their
 * reason, so that viewers show them without failing. The case that ended the run is an `error`; if
 * none did, the run itself is one.
 */
export function junitReport(report: CheckReport, strict: boolean): string {
  const { url, startedAt, duration, results, proof, stopped, endedBy } = reportInWords(report);
  const verdict = verdictOnReport(report, strict);
  const causes = furtherCauses(report, verdict).map(causeText);
  const said = [verdictText(verdict), ...causes, ...(proof === null ? [] : [proof])].join("\n");
  const isErrorOf = (result: ReportedCase) => stopped !== null && result.id === endedBy;
  const suites = (Object.keys(GROUPS) as Group[]).flatMap((group) => {
    const own = results.filter((result) => result.group === group);
    if (own.length === 0) return [];
    const time = seconds(own.reduce((sum, result) => sum + result.duration, 0));
    const attributes = {
      name: `${group} ${GROUPS[group]}`,
      ...counts(own, strict, isErrorOf),
      time,
      timestamp: startedAt.replace(/\.\d+Z$/, ""),
    };
    const properties = element("properties", {}, [
      element("property", { name: "url", value: url }),
    ]);
    const tests = own.map((result) => testCase(result, strict, isErrorOf(result) ? stopped : null));
    return [
      element("testsuite", attributes, [properties, ...tests, element("system-out", {}, said)]),
    ];
  });
  if (stopped !== null && !results.some(isErrorOf)) suites.push(wholeRun(stopped, startedAt));
  // The schema of Jenkins' xUnit plugin knows `skipped` of a suite only.
  const { skipped: _, ...known } = counts(results, strict, isErrorOf);
  const alone = stopped !== null && known.errors === 0 ? 1 : 0;
  const sums = { ...known, tests: known.tests + alone, errors: known.errors + alone };
  const whole = { name: "hookporter check", ...sums, time: seconds(duration) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", whole, suites)}\n`;
}

/** A suite for a run that no case ended, as one that could not begin. */
function wholeRun(stopped: string, startedAt: string): string {
  const attributes = { name: "run", classname: "hookporter.check", time: seconds(0) };
  const error = element("error", { message: stopped, type: "stopped" });
  const counted = { tests: 1, failures: 0, errors: 1, skipped: 0, time: seconds(0) };
  const suite = {
    name: "hookporter check",
    ...counted,
    timestamp: startedAt.replace(/\.\d+Z$/, ""),
  };
  return element("testsuite", suite, [element("testcase", attributes, [error])]);
}

/** @param stopped - why the run ended, if this case ended it */
function testCase(result: ReportedCase, strict: boolean, stopped: string | null): string {
  const { id, group, sent, outcome, severity, answer, right, runs, fix, why, duration } = result;
  const name = `${id} ${sent}`;
  const attributes = { name, classname: `hookporter.check.${group}`, time: seconds(duration) };
  if (stopped !== null) {
    const text = [
      `sent: ${sent}`,
      `answered: ${answer}`,
      `right: ${right}`,
      `why: ${why}`,
      `fix: ${fix}`,
    ];
    return element("testcase", attributes, [
      element("error", { message: stopped, type: "stopped" }, text.join("\n")),
    ]);
  }
  if (outcome === "passed") return element("testcase", attributes);
  const message = `answered ${answer}, expected ${right}`;
  if (!isFatal(result, strict)) {
    const why = outcome === "failed" ? `${severity}: ${message}: ${fix}` : (fix ?? "");
    return element("testcase", attributes, [element("skipped", { message: why })]);
  }
  const ran = runs === null ? [] : [`ran: ${runs} times`];
  const text = [
    `sent: ${sent}`,
    `answered: ${answer}`,
    ...ran,
    `right: ${right}`,
    `why: ${why}`,
    `fix: ${fix}`,
  ];
  return element("testcase", attributes, [
    element("failure", { message, type: severity }, text.join("\n")),
  ]);
}

function counts(
  results: readonly ReportedCase[],
  strict: boolean,
  isError: (one: ReportedCase) => boolean,
) {
  const errors = results.filter(isError).length;
  const others = results.filter((result) => !isError(result));
  const failures = others.filter((other) => isFatal(other, strict)).length;
  const passed = others.filter(({ outcome }) => outcome === "passed").length;
  return { tests: results.length, failures, errors, skipped: others.length - passed - failures };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** An element with a text, or with other elements on lines of their own. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inside: string | readonly string[] = [],
): string {
  const given = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(String(value))}"`,
  );
  const open = `<${name}${given.join("")}`;
  if (inside.length === 0) return `${open}/>`;
  if (typeof inside === "string") return `${open}>${escapeXml(inside)}</${name}>`;
  return `${open}>\n${inside.join("\n")}\n</${name}>`;
}

/**
 * Escapes text for XML; characters that XML cannot contain become `?`, and what nobody would see in
 * it is escaped as in JSON.
 */
function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  const allowed = text.replaceAll(
    /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,
    "?",
  );
  return escapeInvisible(allowed, "\t\r\n").replaceAll(
    /[&<>"]/g,
    (character) => entities[character] ?? character,
  );
}
