import { stripVTControlCharacters } from "node:util";
import type { ChalkInstance } from "chalk";
import { CONTROL } from "../../check/catalogue.ts";
import { GROUPS, type Severity } from "../../check/check-case.ts";
import {
  type CheckReport,
  type CheckResult,
  MARKS,
  observedText,
  type Verdict,
  verdictOf,
} from "../../check/check-result.ts";
import { diagnose } from "../../check/diagnosis.ts";
import { responseTimesText } from "../../check/response-times.ts";
import type { CliContext } from "../context.ts";
import { printable } from "../printable.ts";
import { columnsOf, wrapText } from "../wrap-text.ts";

/** Lines on a terminal are at most this wide, even on a wider one. */
const WIDEST = 120;
const INDENT = "    ";
const UNDER_TITLE = " ".repeat(14);

/**
 * Prints a run: a line for each group when it ends, and below it the cases that did not pass. On a terminal, lines are
 * wrapped and cases with the same result share a line, so that everything fits on a screen. Elsewhere each fact is one
 * line, for `grep`.
 */
export class CheckView {
  readonly #context: CliContext;
  readonly #verbose: boolean;
  readonly #shown: boolean;
  readonly #lines: string[] = [];
  #group: CheckResult[] = [];

  constructor(context: CliContext, verbose: boolean, shown: boolean) {
    this.#context = context;
    this.#verbose = verbose;
    this.#shown = shown;
  }

  /** Everything printed so far, as plain text. */
  get text(): string {
    return this.#lines.map((line) => `${stripVTControlCharacters(line)}\n`).join("");
  }

  add(result: CheckResult): void {
    // What makes nearly all cases fail is said before them, not only below.
    if (result.id === CONTROL && result.outcome === "failed" && /^2/.test(result.answer ?? "")) {
      for (const text of diagnose([result])) this.#printCause(text);
    }
    if (this.#group[0] !== undefined && this.#group[0].group !== result.group) this.#endGroup();
    this.#group.push(result);
  }

  end({ counts, duration, diagnosis, stopped, responseTimes }: CheckReport): void {
    this.#endGroup();
    const { color } = this.#context.output;
    for (const text of diagnosis) this.#printCause(text);
    if (stopped !== null)
      this.#print(
        "",
        `${color.red("»")} `,
        `The receiver stopped answering: ${printable(stopped, 300)}`,
        "  ",
      );
    const { total, passed, failedRequired, failedRecommended, failedInformational, notApplicable } = counts;
    const parts = [
      `${passed} of ${total} passed`,
      failedRequired > 0 && color.red(`${failedRequired} required failed`),
      failedRecommended > 0 && color.yellow(`${failedRecommended} recommended failed`),
      failedInformational > 0 && `${failedInformational} informational`,
      notApplicable > 0 && `${notApplicable} not applicable`,
    ].filter((part) => part !== false);
    this.#print("", "", `${parts.join(", ")} (${(duration / 1000).toFixed(1)} s)`, "");
    if (responseTimes !== null) this.#print("", "", responseTimesText(responseTimes), "", color.dim);
  }

  #printCause(text: string): void {
    this.#print("", `${this.#context.output.color.yellow("»")} `, text, "  ");
  }

  #endGroup(): void {
    const results = this.#group;
    const [first] = results;
    if (first === undefined) return;
    this.#group = [];
    const { color } = this.#context.output;
    const passed = results.filter(({ outcome }) => outcome === "passed").length;
    const count = `${passed} of ${results.length}`.padStart(8);
    this.#print(
      "",
      `${worstMark(results, color)} `,
      `${first.group.padEnd(5)}${count}  ${GROUPS[first.group]}`,
      "",
    );
    for (const part of together(results)) this.#printAlike(part);
  }

  get #folds(): boolean {
    return this.#shown && !this.#verbose && this.#context.io.isTTY.stdout;
  }

  /** Prints results with the same explanation together. */
  #printAlike(results: readonly CheckResult[]): void {
    const [first] = results;
    if (first === undefined) return;
    const { color } = this.#context.output;
    if (first.outcome === "passed") {
      if (!this.#verbose) return;
      const mark = markOf(first, color);
      for (const { id, sent, answer } of results)
        this.#print(INDENT, `${mark} ${id.padEnd(8)}`, `${sent} → ${answer}`);
      return;
    }
    if (first.outcome === "not_applicable") {
      const mark = markOf(first, color);
      const ids = idsText(results.map(({ id }) => id));
      this.#print(INDENT, `${mark} `, `${ids}: ${printable(first.fix ?? "", 300)}`, " ".repeat(6));
      return;
    }
    for (const alike of this.#folds ? groupBy(results, verdictText) : results.map((result) => [result])) {
      const [result, ...others] = alike;
      if (result === undefined) continue;
      const more = others.length === 0 ? "" : `; same for ${othersText(others)}`;
      const head = `${markOf(result, color)} ${result.id.padEnd(8)}`;
      this.#print(
        INDENT,
        head,
        `${result.sent} → ${color.bold(observedText(result))} (right: ${result.right})${more}`,
      );
    }
    this.#print(UNDER_TITLE, "", printable(first.fix ?? "", 600), UNDER_TITLE, color.dim);
  }

  #print(
    indent: string,
    head: string,
    text: string,
    hanging = UNDER_TITLE,
    style: (line: string) => string = (line) => line,
  ): void {
    const { io, output } = this.#context;
    const { columns = 80 } = io.stdout as { columns?: number };
    const width = io.isTTY.stdout ? Math.min(columns, WIDEST) : Number.POSITIVE_INFINITY;
    const lines = wrapText(text, width - hanging.length, width - indent.length - columnsOf(head));
    for (const [index, line] of lines.entries()) {
      const whole = (index === 0 ? indent + head : hanging) + style(line);
      this.#lines.push(whole);
      if (this.#shown) output.data(whole);
    }
  }
}

/** A case in the catalogue as one line, or wrapped to the columns of a terminal. */
export function caseLine(
  { id, sent, severity, right }: { id: string; sent: string; severity: Severity; right: string },
  color: ChalkInstance,
  columns = Number.POSITIVE_INFINITY,
): string {
  const head = `${id.padEnd(8)} ${severity.padEnd(13)} `;
  const lines = wrapText(`${sent} → ${color.dim(right)}`, columns - head.length);
  return head + lines.join(`\n${" ".repeat(head.length)}`);
}

const VERDICTS = Object.keys(MARKS) as Verdict[];
const STYLES = {
  ...({ required: "red", recommended: "yellow", informational: "cyan" } as const),
  ...({ passed: "green", not_applicable: "dim" } as const),
};

function marked(verdict: Verdict, color: ChalkInstance): string {
  return color[STYLES[verdict]](MARKS[verdict]);
}

function markOf(one: CheckResult, color: ChalkInstance): string {
  return marked(verdictOf(one), color);
}

function worstMark(results: readonly CheckResult[], color: ChalkInstance): string {
  const worst = VERDICTS.find((verdict) => results.some((one) => verdictOf(one) === verdict));
  return worst === undefined ? "" : marked(worst, color);
}

/** Ids in brief: `DUP-04 to DUP-10` if they are consecutive. */
function idsText(ids: readonly string[]): string {
  const numberOf = (id: string | undefined) => Number(id?.split("-")[1]);
  const whole = numberOf(ids.at(-1)) - numberOf(ids[0]) === ids.length - 1;
  return ids.length > 2 && whole ? `${ids[0]} to ${ids.at(-1)}` : ids.join(", ");
}

/** Results with the same explanation, in the order of the first of each. */
function together(results: readonly CheckResult[]): readonly (readonly CheckResult[])[] {
  return groupBy(results, ({ outcome, fix }) => `${outcome} ${fix}`);
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

function verdictText(result: CheckResult): string {
  return `${result.severity} ${observedText(result)} ${result.right}`;
}

/** The cases with the same result as the first, which is printed in full: `BODY-11, 12, 13`. */
function othersText(others: readonly CheckResult[]): string {
  return others.map(({ id }, index) => (index === 0 ? id : id.slice(id.indexOf("-") + 1))).join(", ");
}
