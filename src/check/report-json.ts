import type { CheckReport } from "./check-result.ts";
import { verdictText } from "./verdict.ts";

/** The version of the JSON report; it increases when a field changes its meaning or is removed. */
export const REPORT_SCHEMA_VERSION = 1;

export function jsonReport(report: CheckReport, strict: boolean): string {
  const { results, counts, diagnosis, proof, ...rest } = report;
  const verdict = verdictText(report, strict);
  const document = { schemaVersion: REPORT_SCHEMA_VERSION, verdict, ...rest, summary: counts };
  return `${JSON.stringify({ ...document, diagnosis, proof, cases: results }, null, 2)}\n`;
}
