import { stripVTControlCharacters } from "node:util";
import type { ChalkInstance } from "chalk";
import { grouped } from "../../base/grouped.ts";
import { GROUPS, type Severity } from "../../check/check-case.ts";
import { type CheckReport, MARKS, type Verdict, verdictOf } from "../../check/check-result.ts";
import { furtherCauses, type ReportVerdict, verdictOnReport } from "../../check/verdict.ts";
import { causeText } from "../../check/words/common-causes.ts";
import { distinctionText } from "../../check/words/faults.ts";
import { caseInWords, observedText, type ReportedCase } from "../../check/words/report.ts";
import { responseTimesText } from "../../check/words/response-times.ts";
import { casesNamed, verdictInBrief, verdictText } from "../../check/words/verdicts.ts";
import type { CliContext } from "../context.ts";
import { printable } from "../output.ts";
import { hangingLines, readableWidth } from "../wrap-text.ts";

const INDENT = "    ";
/** Columns of indentation below the line of a case. */
const UNDER_TITLE = 14;

/**
 * Prints a report: the verdict first and last, and between them what is wrong, worst first. A
 * terminal gets what fits on a screen, unless all is asked for. Elsewhere each fact is one line,
 * for `grep`.
 */
export class CheckView {
  readonly #context: CliContext;
  readonly #verbose: boolean;
  readonly #shown: boolean;
  readonly #lines: string[] = [];

  constructor(context: CliContext, verbose: boolean, shown: boolean) {
    this.#context = context;
    this.#verbose = verbose;
    this.#shown = shown;
  }

  /** Everything printed so far, as plain text. */
  get text(): string {
    return this.#lines.map((line) => `${stripVTControlCharacters(line)}\n`).join("");
  }

  print(report: CheckReport, strict: boolean): void {
    const { results, proof } = report;
    const { color } = this.#context.output;
    const verdict = verdictOnReport(report, strict);
    const style = verdict.type === "passed" ? color.green.bold : color.red.bold;
    this.#print("", verdictText(verdict), 2, style);
    for (const cause of furtherCauses(report, verdict))
      this.#print(`${color.yellow("»")} `, printable(causeText(cause), 1000), 2);
    if (this.#folds) this.#printFolded(report, verdict);
    else this.#printGroups(results.map(caseInWords));
    if (proof !== null) this.#printWhole(`try it: ${proof}`);
    this.#print("", countsText(report, color, !this.#folds), 2);
    this.#print("", verdictInBrief(verdict), 2, style);
  }

  /** What fails a required case in full, and the ids of all else that did not pass. */
  #printFolded(report: CheckReport, overall: ReportVerdict): void {
    const { color } = this.#context.output;
    const named = casesNamed(overall, report);
    const required = report.results
      .filter((result) => verdictOf(result) === "required")
      .map((result) => {
        const reported = caseInWords(result);
        // Of a result with a common cause, only what distinguishes it from others.
        const isNamed = named.has(result.checkCase.id);
        return isNamed ? { ...reported, fix: distinctionText(result) } : reported;
      });
    const similar = together(required);
    for (const part of similar.slice(0, MOST_ALIKE)) this.#printSimilar(part);
    if (similar.length > MOST_ALIKE) {
      const others = similar.slice(MOST_ALIKE).flat();
      this.#print(
        `${marked("required", color)} `,
        `also: ${idsText(others.map(({ id }) => id))}`,
        2,
      );
    }
    for (const [verdict, words] of Object.entries(FOLDED) as [Verdict, string][]) {
      const own = report.results.filter((result) => verdictOf(result) === verdict).map(caseInWords);
      const ids = own.map(({ id }) => id);
      if (own.length === 0) continue;
      const reasons = [...new Set(own.map(({ fix }) => fix))];
      const why = verdict === "not_applicable" && reasons.length === 1 ? `${reasons[0]}: ` : words;
      this.#print(`${marked(verdict, color)} `, why + idsText(ids), 2);
    }
  }

  #printGroups(results: readonly ReportedCase[]): void {
    const { color } = this.#context.output;
    for (const [group, title] of Object.entries(GROUPS)) {
      const own = results.filter((result) => result.group === group);
      if (own.length === 0) continue;
      const passed = own.filter(({ outcome }) => outcome === "passed").length;
      const count = `${passed} of ${own.length}`.padStart(8);
      this.#print(`${worstMark(own, color)} `, `${group.padEnd(5)}${count}  ${title}`, 0);
      const worstFirst = own.toSorted((a, b) => rankOf(a) - rankOf(b));
      for (const part of together(worstFirst)) this.#printSimilar(part);
    }
  }

  /** Prints a line as it is: a command can be copied, however wide the terminal is. */
  #printWhole(line: string): void {
    this.#lines.push(line);
    if (this.#shown) this.#context.output.data(line);
  }

  get #folds(): boolean {
    return this.#shown && !this.#verbose && this.#context.io.isTTY.stdout;
  }

  /** Prints results with the same explanation together. */
  #printSimilar(results: readonly ReportedCase[]): void {
    const [first] = results;
    if (first === undefined) return;
    const { color } = this.#context.output;
    const print = (result: ReportedCase, text: string) =>
      this.#print(
        `${INDENT}${markOf(result, color)} ${result.id.padEnd(8)}`,
        `${result.sent} → ${text}`,
      );
    if (first.outcome === "passed") {
      if (this.#verbose) for (const result of results) print(result, String(result.answer));
      return;
    }
    if (first.outcome === "not_applicable") {
      const ids = idsText(results.map(({ id }) => id));
      this.#print(
        `${INDENT}${markOf(first, color)} `,
        `${ids}: ${printable(first.fix ?? "", 300)}`,
        6,
      );
      return;
    }
    const parts = this.#folds
      ? [...grouped(results, similarText).values()]
      : results.map((result) => [result]);
    for (const [result = first, ...others] of parts) {
      const more = others.length === 0 ? "" : `; same for ${othersText(others)}`;
      print(result, `${color.bold(observedText(result))} (right: ${result.right})${more}`);
    }
    if (first.fix === null) return;
    this.#print(" ".repeat(UNDER_TITLE), printable(first.fix, 600), UNDER_TITLE, color.dim);
  }

  #print(head: string, text: string, indent = UNDER_TITLE, style?: (line: string) => string): void {
    const lines = hangingLines(head, text, indent, readableWidth(this.#context.output), style);
    for (const line of lines) this.#printWhole(line);
  }
}

/** A case in the catalogue as one line, or wrapped to the columns of a terminal. */
export function caseLine(
  { id, sent, severity, right }: { id: string; sent: string; severity: Severity; right: string },
  color: ChalkInstance,
  columns = Number.POSITIVE_INFINITY,
): string {
  const head = `${id.padEnd(8)} ${severity.padEnd(13)} `;
  return hangingLines(head, `${sent} → ${color.dim(right)}`, head.length, columns).join("\n");
}

/** More explanations of required failures than these do not fit on a screen. */
const MOST_ALIKE = 4;
/** The results that a terminal gets by their ids alone. */
const FOLDED = {
  recommended: "recommended, see --verbose: ",
  informational: "informational: ",
  not_applicable: "not seen, see --verbose: ",
} as const satisfies Partial<Record<Verdict, string>>;

function countsText(
  { counts, duration, responseTimes, requests }: CheckReport,
  color: ChalkInstance,
  withTimes: boolean,
): string {
  const { total, passed, failedRequired, failedRecommended, failedInformational, notApplicable } =
    counts;
  const parts = [
    `${passed} of ${total} passed`,
    failedRequired > 0 && color.red(`${failedRequired} required failed`),
    failedRecommended > 0 && color.yellow(`${failedRecommended} recommended failed`),
    failedInformational > 0 && `${failedInformational} informational`,
    notApplicable > 0 && `${notApplicable} not applicable`,
    `${requests} requests in ${(duration / 1000).toFixed(1)} s`,
    withTimes && responseTimes !== null && responseTimesText(responseTimes),
  ];
  return parts.filter((part) => part !== false).join(", ");
}

const VERDICTS = Object.keys(MARKS) as Verdict[];
const STYLES = {
  required: "red",
  recommended: "yellow",
  informational: "cyan",
  passed: "green",
  not_applicable: "dim",
} as const;

function marked(verdict: Verdict, color: ChalkInstance): string {
  return color[STYLES[verdict]](MARKS[verdict]);
}

function rankOf(result: ReportedCase): number {
  return VERDICTS.indexOf(verdictOf(result));
}

function markOf(result: ReportedCase, color: ChalkInstance): string {
  return marked(verdictOf(result), color);
}

function worstMark(results: readonly ReportedCase[], color: ChalkInstance): string {
  const worst = VERDICTS.find((verdict) => results.some((result) => verdictOf(result) === verdict));
  return worst === undefined ? "" : marked(worst, color);
}

/** Ids in brief: `SIG-03, TIME-08 to TIME-14`, with what is consecutive as a range. */
function idsText(ids: readonly string[]): string {
  const ranges: string[][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && isNext(last.at(-1) ?? "", id)) last.push(id);
    else ranges.push([id]);
  }
  return ranges
    .map((range) => (range.length > 2 ? `${range[0]} to ${range.at(-1)}` : range.join(", ")))
    .join(", ");
}

function isNext(before: string, id: string): boolean {
  const [[group, number], [otherGroup, other]] = [before.split("-"), id.split("-")] as [
    string[],
    string[],
  ];
  return group === otherGroup && Number(number) + 1 === Number(other);
}

/** Results with the same explanation, in the order of the first of each. */
function together(results: readonly ReportedCase[]): readonly (readonly ReportedCase[])[] {
  return [...grouped(results, ({ outcome, fix }) => `${outcome} ${fix}`).values()];
}

function similarText(result: ReportedCase): string {
  return `${result.severity} ${observedText(result)} ${result.right}`;
}

/** The cases with the same result as the first, which is printed in full: `BODY-11, 12, 13`. */
function othersText(others: readonly ReportedCase[]): string {
  return others
    .map(({ id }, index) => (index === 0 ? id : id.slice(id.indexOf("-") + 1)))
    .join(", ");
}
