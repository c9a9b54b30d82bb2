import type { CheckReport } from "./check-result.ts";

/** The version of the JSON report; it increases when a field changes its meaning or is removed. */
export const REPORT_SCHEMA_VERSION = 2;

export function jsonReport({
  url,
  startedAt,
  duration,
  responseTimes,
  stopped,
  counts,
  diagnosis,
  results,
}: CheckReport): string {
  const document = {
    ...{ schemaVersion: REPORT_SCHEMA_VERSION, url, startedAt, duration, responseTimes, stopped },
    ...{ summary: counts, diagnosis, cases: results },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
