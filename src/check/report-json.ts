import type { CheckReport } from "./check-result.ts";
import { verdictOnReport } from "./verdict.ts";
import { reportInWords } from "./words/report.ts";
import { verdictText } from "./words/verdicts.ts";

/** The version of the JSON report; it increases when a field changes its meaning or is removed. */
export const REPORT_SCHEMA_VERSION = 1;

export function jsonReport(report: CheckReport, strict: boolean): string {
  const { results, counts, diagnosis, proof, ...rest } = reportInWords(report);
  const verdict = verdictText(verdictOnReport(report, strict));
  const document = { schemaVersion: REPORT_SCHEMA_VERSION, verdict, ...rest, summary: counts };
  return `${JSON.stringify({ ...document, diagnosis, proof, cases: results }, null, 2)}\n`;
}
