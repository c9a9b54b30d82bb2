import { CAUSES, type Cause } from "../../signature/diagnose/causes.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import { printedText } from "../../signature/diagnose/json-libraries.ts";
import { printable } from "../printable.ts";
import type { ToldFixes } from "./told-fixes.ts";

/** Added if the search ended before everything was tried. */
const PARTLY = ", but not every combination was tried";

/**
 * A diagnosis as lines for people: the simplest explanation with its fixes, then the others in brief; the general fix if
 * there is no explanation.
 */
export function diagnosisLines(
  { explanations, printedBy, complete }: Diagnosis,
  general: string,
): readonly string[] {
  const [nearest = [], ...others] = explanations;
  const fixes = nearest.length === 0 ? [general] : [...new Set(nearest.map(({ fix }) => fix))];
  return [
    ...nearest.filter(says).map((cause) => `cause: ${cause.code}: ${cause.meaning}${inBrackets(cause)}`),
    ...(nearest.length === 0
      ? [`cause: unexplained: ${CAUSES.unexplained.meaning}${complete ? "" : PARTLY}`]
      : []),
    ...(printedBy.length === 0 ? [] : [`signed: ${printedText(printedBy)}`]),
    ...fixes.map((fix) => `fix: ${fix}`),
    ...others.map((causes) => `or: ${causes.map((cause) => cause.code + inBrackets(cause)).join(" and ")}`),
  ];
}

/** Why a delivery was refused, as lines of the live view: each cause's fix once, and then only the cause. */
export function refusalLines(
  diagnosis: Diagnosis | "left_out",
  { because, fix }: { readonly because: readonly string[]; readonly fix: string },
  told: ToldFixes,
): readonly string[] {
  if (diagnosis === "left_out") {
    const advice = "not diagnosed: too many at once; run `hookporter verify` to find out why one fails";
    return told.isTold("left_out") ? because : [...because, advice];
  }
  const { explanations, printedBy, complete } = diagnosis;
  const [nearest = [], ...others] = explanations;
  const codes = nearest.map(({ code }) => code).join(" and ") || "unexplained";
  const causes = nearest
    .filter(says)
    .map(
      ({ meaning, ...cause }) =>
        `${meaning} (${cause.code}${cause.detail === null ? "" : `: ${printable(cause.detail, 80)}`})`,
    );
  if (nearest.length === 0)
    causes.push(`${CAUSES.unexplained.meaning}${complete ? "" : PARTLY} (unexplained)`);
  const lines = causes.length === 0 ? because : causes;
  if (told.isTold(codes)) return [...lines.slice(0, -1), `${lines.at(-1)}, fix as above`];
  const fixes = nearest.length === 0 ? [fix] : [...new Set(nearest.map((cause) => cause.fix))];
  return [
    ...lines,
    ...(printedBy.length === 0 ? [] : [`signed ${printedText(printedBy)}`]),
    ...fixes.map((text) => `fix: ${text}`),
    ...others.map((causes) => `or: ${causes.map((cause) => cause.code + inBrackets(cause)).join(" and ")}`),
    ...(nearest.length === 0 && !complete ? ["`hookporter verify` tries more combinations"] : []),
  ];
}

/** What to try if nothing explains the signature. */
export function adviceLines({ advice }: Diagnosis): readonly string[] {
  return advice.map((line, index) => `try ${index + 1}: ${line}`);
}

export function diagnosisFields({ code, explanations, printedBy, advice, tried, complete }: Diagnosis) {
  const [nearest = [], ...others] = explanations;
  return {
    cause: code,
    causes: nearest.map(({ code, detail, meaning, fix }) => ({ code, detail, meaning, fix })),
    otherwise: others.map((causes) => causes.map(({ code, detail }) => ({ code, detail }))),
    ...{ printedBy, advice, tried, complete },
  };
}

/** A missing header is already the reason, and need not be repeated as a cause. */
function says({ code }: Cause): boolean {
  return code !== "header_missing";
}

function inBrackets({ detail }: Pick<Cause, "detail">): string {
  return detail === null ? "" : ` (${printable(detail, 80)})`;
}
