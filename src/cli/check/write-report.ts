import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { type CheckReport, countResults, type ReportFormat } from "../../check/check-result.ts";
import { githubReport } from "../../check/report-github.ts";
import { jsonReport } from "../../check/report-json.ts";
import { junitReport } from "../../check/report-junit.ts";
import { markdownReport } from "../../check/report-markdown.ts";
import { verdictOnReport } from "../../check/verdict.ts";
import { verdictText } from "../../check/words/verdicts.ts";
import type { CliContext } from "../context.ts";
import { unwritableFileError } from "../input-errors.ts";

/** Where a report goes, and how. */
export interface ReportOptions {
  readonly strict?: boolean;
  readonly format?: ReportFormat;
  readonly output?: string;
}

/** Writes a report in the wanted format, to a file or to standard output. */
export function writeReport(
  report: CheckReport,
  pretty: string,
  { format = "pretty", output: file, strict = false }: ReportOptions,
  { io, output }: CliContext,
): void {
  if (format === "pretty" && file === undefined) return;
  const text = {
    pretty: () => pretty,
    json: () => jsonReport(report, strict),
    junit: () => junitReport(report, strict),
    github: () => githubReport(report, strict),
    markdown: () => markdownReport(report, strict),
  };
  const bytes = Buffer.from(text[format](), "utf8");
  if (file === undefined) {
    output.writeStdout(bytes);
    return;
  }
  try {
    writeFileSync(resolve(io.cwd, file), bytes);
  } catch (cause) {
    throw unwritableFileError(file, cause);
  }
  output.talk(`${format} report written to ${file}`);
}

/** Writes the report of a run that has no result, since it could not begin. */
export function writeNotRun(
  url: URL | undefined,
  thrown: unknown,
  options: ReportOptions,
  context: CliContext,
): void {
  const report: CheckReport = {
    url: url === undefined ? "no URL" : shownUrl(url),
    startedAt: new Date(context.clock()).toISOString(),
    stopped: { code: "not_begun", detail: describeError(thrown), by: null },
    results: [],
    counts: countResults([]),
    diagnosis: [],
    proof: null,
    responseTimes: null,
    requests: 0,
    duration: 0,
  };
  // Its path is not named: what fails first may be that something else was pasted in its place.
  writeReport(report, `${verdictText(verdictOnReport(report, false))}\n`, options, {
    ...context,
    output: { ...context.output, talk: () => {} },
  });
}
