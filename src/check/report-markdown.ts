import { escapeInvisible } from "../base/text/escape-invisible.ts";
import { type CheckReport, isFatal } from "./check-result.ts";
import { furtherCauses, verdictOnReport } from "./verdict.ts";
import { causeText } from "./words/common-causes.ts";
import { observedText, type ReportedCase, reportInWords } from "./words/report.ts";
import { responseTimesText } from "./words/response-times.ts";
import { verdictText } from "./words/verdicts.ts";

/**
 * A report as Markdown, for a pull request or a job's summary: the result, common causes, and the
 * failed cases as a table.
 */
export function markdownReport(report: CheckReport, strict: boolean): string {
  const { url, results, counts, stopped, responseTimes, proof } = reportInWords(report);
  const verdict = verdictOnReport(report, strict);
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const isGood = stopped === null && !failed.some((result) => isFatal(result, strict));
  const { passed, total, notApplicable } = counts;
  const times = responseTimes === null ? "" : `; ${responseTimesText(responseTimes)}`;
  const blocks = [
    `### ${isGood ? "✅" : "❌"} hookporter check: ${passed} of ${total} cases passed`,
    `\`${url.replaceAll("`", "'")}\`, ${failed.length} failed, ${notApplicable} not applicable${times}`,
    ...(stopped === null || verdict.stop !== undefined
      ? []
      : [`**The run ended early:** ${cell(stopped)}`]),
    verdict.type === "passed" ? "" : `**${cell(verdictText(verdict))}**`,
    furtherCauses(report, verdict)
      .map((cause) => `- ${cell(causeText(cause))}`)
      .join("\n"),
    proof === null ? "" : `\`\`\`sh\n${proof}\n\`\`\``,
    failed.length === 0 ? "" : [...HEAD, ...failed.map((result) => row(result, strict))].join("\n"),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

const HEAD = ["| case | sent | answered | expected | fix |", "|---|---|---|---|---|"];

function row(result: ReportedCase, strict: boolean): string {
  const { id, sent, right, fix, severity } = result;
  const weight = isFatal(result, strict) ? "" : ` (${severity})`;
  return `| ${[`${id}${weight}`, sent, observedText(result), right, fix ?? ""].map(cell).join(" | ")} |`;
}

/**
 * Text of a receiver is shown as text: no cell ends early, nothing in it is markup, mentions
 * anybody or refers to something. An empty comment parts what would otherwise be found although it
 * is escaped.
 */
function cell(text: string): string {
  return escapeInvisible(text, "\t\r\n")
    .replaceAll(/[\\`*_{}[\]<>|#!]/g, (character) => `\\${character}`)
    .replaceAll(/@|#|\bwww\b|\bGH-(?=\d)|:(?=\/\/)/gi, "$&<!-- -->")
    .replaceAll(/\s+/g, " ");
}
