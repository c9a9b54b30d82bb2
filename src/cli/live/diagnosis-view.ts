import { ownCommand } from "../../base/package/own-command.ts";
import type { NotDiagnosed } from "../../inspector/live/refused-bodies.ts";
import { CAUSES, type Cause } from "../../signature/diagnose/causes.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import { printedText } from "../../signature/diagnose/json-libraries.ts";
import { printable } from "../output.ts";

/** The causes whose fix was printed: codes of ours, so there are few. */
export type ReportedFixes = Set<string>;

/** Whether a cause's fix is printed for the first time; remembers it. */
export function isFirst(cause: string, reported: ReportedFixes): boolean {
  return reported.size < reported.add(cause).size;
}

/**
 * A diagnosis as lines for people: the simplest explanation with its fixes, then the others in
 * brief; the general fix if there is no explanation.
 */
export function diagnosisLines(diagnosis: Diagnosis, general: string): readonly string[] {
  const causes = causesOf(diagnosis).map(
    (cause) => `cause: ${cause.code}: ${cause.meaning}${inBrackets(cause)}`,
  );
  return [...causes, ...fixLines(diagnosis, general)];
}

/** What is said of a delivery that was not diagnosed: what there is to do only once. */
const NOT_DIAGNOSED: Readonly<Record<NotDiagnosed, string>> = {
  left_out: "not diagnosed: too many at once",
  took_too_long: "not searched: took too long",
};

/**
 * Why a delivery was refused, as lines of the live view: each cause's fix once, and then only the
 * cause.
 */
export function refusalLines(
  diagnosis: Diagnosis | NotDiagnosed,
  { because, fix }: { readonly because: readonly string[]; readonly fix: string },
  reported: ReportedFixes,
): readonly string[] {
  if (typeof diagnosis === "string") {
    const why = NOT_DIAGNOSED[diagnosis];
    if (isFirst(diagnosis, reported))
      return [...because, `${why}; run \`${ownCommand("verify")}\` to find out why one fails`];
    return diagnosis === "left_out" ? because : [...because, why];
  }
  const causes = causesOf(diagnosis);
  const lines =
    causes.length === 0
      ? because
      : causes.map(({ meaning, code, detail }) => {
          const more = detail === null ? "" : `: ${printable(detail, 80)}`;
          return `${meaning} (${code}${more})`;
        });
  const codes = diagnosis.explanations[0]?.map(({ code }) => code).join(" and ") ?? "unexplained";
  if (!isFirst(codes, reported)) return [...lines.slice(0, -1), `${lines.at(-1)}, fix as above`];
  const isPart = diagnosis.explanations.length === 0 && !diagnosis.complete;
  const further = isPart ? [`\`${ownCommand("verify")}\` tries more combinations`] : [];
  return [...lines, ...fixLines(diagnosis, fix), ...further];
}

export function adviceLines({ advice }: Diagnosis): readonly string[] {
  return advice.map((line, index) => `try ${index + 1}: ${line}`);
}

export function diagnosisFields({
  code,
  explanations,
  printedBy,
  advice,
  tried,
  complete,
}: Diagnosis) {
  const [nearest = [], ...others] = explanations;
  return {
    cause: code,
    causes: nearest.map(({ code, detail, meaning, fix }) => ({ code, detail, meaning, fix })),
    otherwise: others.map((causes) => causes.map(({ code, detail }) => ({ code, detail }))),
    printedBy,
    advice,
    tried,
    complete,
  };
}

/**
 * The nearest causes; a missing header is already the reason, and need not be repeated as a cause.
 */
function causesOf({
  explanations: [nearest],
  complete,
}: Diagnosis): readonly Pick<Cause, "code" | "meaning" | "detail">[] {
  if (nearest !== undefined) return nearest.filter(({ code }) => code !== "header_missing");
  const { meaning } = CAUSES.unexplained;
  const partly = complete ? "" : ", but not every combination was tried";
  return [{ code: "unexplained", meaning: meaning + partly, detail: null }];
}

/** Who prints JSON like this, how to correct it, and what else could be the cause. */
function fixLines({ explanations, printedBy }: Diagnosis, general: string): readonly string[] {
  const [nearest, ...others] = explanations;
  const fixes = nearest === undefined ? [general] : [...new Set(nearest.map(({ fix }) => fix))];
  return [
    ...(printedBy.length === 0 ? [] : [`signed: ${printedText(printedBy)}`]),
    ...fixes.map((fix) => `fix: ${fix}`),
    ...others.map(
      (causes) => `or: ${causes.map((cause) => cause.code + inBrackets(cause)).join(" and ")}`,
    ),
  ];
}

function inBrackets({ detail }: Pick<Cause, "detail">): string {
  return detail === null ? "" : ` (${printable(detail, 80)})`;
}
