import type { CliContext } from "../context.ts";
import { printable } from "../printable.ts";
import { readableWidth, wrapText } from "../wrap-text.ts";
import type { Finding, FindingStatus } from "./finding.ts";

/** Columns of the status, and of the name of the check. */
const STATUS = 6;
const NAME = 13;
/** The longest text of one finding. */
const LONGEST = 1000;

/** Prints a finding: one line and that of its fix, which a terminal wraps and a pipe does not. */
export function printFinding(check: string, { status, message, fix }: Finding, context: CliContext): void {
  const { output } = context;
  const style = styleOf(status, context);
  print(style(status.padEnd(STATUS)) + check.padEnd(NAME), printable(message, LONGEST), context);
  if (fix !== undefined) print(" ".repeat(STATUS + NAME), `fix: ${printable(fix, LONGEST)}`, context);
  output.record("finding", { check, status, message, fix: fix ?? null });
}

/** `12 ok, 1 warn, 0 fail`, in the colours of the lines. */
export function printCounts(counts: Readonly<Record<FindingStatus, number>>, context: CliContext): void {
  const parts = (["ok", "warn", "fail"] as const).map((status) => {
    const text = `${counts[status]} ${status}`;
    return counts[status] === 0 ? text : styleOf(status, context)(text);
  });
  context.output.data(parts.join(", "));
}

function styleOf(status: FindingStatus, { output: { color } }: CliContext): (text: string) => string {
  return { ok: color.green, warn: color.yellow, fail: color.red }[status];
}

function print(head: string, text: string, { output }: CliContext): void {
  const room = Math.max(20, readableWidth(output) - STATUS - NAME);
  for (const [index, line] of wrapText(text, room).entries())
    output.data((index === 0 ? head : " ".repeat(STATUS + NAME)) + line);
}
