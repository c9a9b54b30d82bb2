import { GROUPS, type Group } from "./check-case.ts";
import { type CheckReport, type CheckResult, isFatal } from "./check-result.ts";
import { verdictText } from "./verdict.ts";

/**
 * A report as JUnit XML: a suite per group, a test per case. Results that fail the run are a `failure`; cases that were
 * not applicable, or failed only as advice, are `skipped` with their reason, so that viewers show them without failing.
 */
export function junitReport(report: CheckReport, strict: boolean): string {
  const { url, startedAt, duration, results } = report;
  const said = `    <system-out>${escapeXml(summaryLines(report, strict).join("\n"))}</system-out>`;
  const suites = (Object.keys(GROUPS) as Group[]).flatMap((group) => {
    const own = results.filter((one) => one.group === group);
    if (own.length === 0) return [];
    const attributes = {
      ...{ name: `${group} ${GROUPS[group]}`, ...counts(own, strict) },
      ...{ time: seconds(sum(own)), timestamp: startedAt.replace(/\.\d+Z$/, "") },
    };
    return [
      `  <testsuite${attributesText(attributes)}>`,
      `    <properties><property${attributesText({ name: "url", value: url })}/></properties>`,
      ...own.map((one) => testCase(one, strict)),
      said,
      "  </testsuite>",
    ];
  });
  // The schema of Jenkins' xUnit plugin knows `skipped` of a suite only.
  const { skipped: _, ...known } = counts(results, strict);
  const whole = { name: "hookporter check", ...known, time: seconds(duration) };
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites${attributesText(whole)}>`, ...suites];
  return `${lines.join("\n")}\n</testsuites>\n`;
}

/** The verdict, the common causes and the proof. */
function summaryLines(report: CheckReport, strict: boolean): readonly string[] {
  const { diagnosis, proof } = report;
  return [verdictText(report, strict), ...diagnosis, ...(proof === null ? [] : [proof])];
}

function testCase(one: CheckResult, strict: boolean): string {
  const { id, group, sent, outcome, severity, answer, right, runs, fix, why, duration } = one;
  const attributes = {
    name: `${id} ${sent}`,
    classname: `hookporter.check.${group}`,
    time: seconds(duration),
  };
  const open = `    <testcase${attributesText(attributes)}`;
  if (outcome === "passed") return `${open}/>`;
  if (!isFatal(one, strict)) {
    const message = outcome === "failed" ? `${severity}: answered ${answer}, expected ${right}: ${fix}` : fix;
    return `${open}><skipped${attributesText({ message: message ?? "" })}/></testcase>`;
  }
  const message = `answered ${answer}, expected ${right}`;
  const ran = runs === null ? [] : [`ran: ${runs} times`];
  const text = [
    `sent: ${sent}`,
    `answered: ${answer}`,
    ...ran,
    `right: ${right}`,
    `why: ${why}`,
    `fix: ${fix}`,
  ];
  return [
    `${open}>`,
    `      <failure${attributesText({ message, type: severity })}>${escapeXml(text.join("\n"))}</failure>`,
    "    </testcase>",
  ].join("\n");
}

function counts(results: readonly CheckResult[], strict: boolean) {
  const failures = results.filter((one) => isFatal(one, strict)).length;
  const passed = results.filter(({ outcome }) => outcome === "passed").length;
  return { tests: results.length, failures, errors: 0, skipped: results.length - passed - failures };
}

function sum(results: readonly CheckResult[]): number {
  return results.reduce((total, { duration }) => total + duration, 0);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");
}

/** Escapes text for XML; characters that XML cannot contain become `?`. */
function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "?")
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
