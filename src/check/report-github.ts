import { escapeInvisible } from "../base/text/escape-invisible.ts";
import { type CheckReport, isFatal } from "./check-result.ts";
import { furtherCauses, verdictOnReport } from "./verdict.ts";
import { causeText } from "./words/common-causes.ts";
import { observedText, type ReportedCase, reportInWords } from "./words/report.ts";
import { verdictText } from "./words/verdicts.ts";

/**
 * A report as workflow commands of GitHub Actions, one line per failed case: an error if it fails
 * the run, a warning if a recommended case failed, a notice otherwise. Before them come the verdict
 * and the common causes, after them the counts.
 */
export function githubReport(report: CheckReport, strict: boolean): string {
  const { url, results, counts, stopped } = reportInWords(report);
  const verdict = verdictOnReport(report, strict);
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const { passed, total, notApplicable } = counts;
  const sum = `${passed} of ${total} cases passed, ${failed.length} failed, ${notApplicable} were not applicable: ${url}`;
  const lines = [
    // GitHub shows ten annotations of a level, so that what matters most comes first.
    ...(verdict.type === "passed"
      ? []
      : [command("error", "hookporter check", verdictText(verdict))]),
    ...furtherCauses(report, verdict).map((cause) =>
      command("warning", "Common cause", causeText(cause)),
    ),
    ...failed.map((result) => {
      const text = `answered ${observedText(result)}, expected ${result.right}: ${result.fix}`;
      return command(levelOf(result, strict), `${result.id}: ${result.sent}`, text);
    }),
    ...(stopped === null || verdict.stop !== undefined
      ? []
      : [command("error", "The run ended early", stopped)]),
    command("notice", "hookporter check", sum),
  ];
  return `${lines.join("\n")}\n`;
}

function levelOf(result: ReportedCase, strict: boolean): string {
  if (isFatal(result, strict)) return "error";
  return result.severity === "informational" ? "notice" : "warning";
}

/**
 * A workflow command. Line breaks and the characters that end a property are escaped as GitHub
 * documents it.
 */
function command(level: string, title: string, message: string): string {
  const escaped = escapeLine(title).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return `::${level} title=${escaped}::${escapeLine(message)}`;
}

function escapeLine(text: string): string {
  return escapeInvisible(text, "\r\n")
    .replaceAll("%", "%25")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A");
}
