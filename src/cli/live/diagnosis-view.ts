import { CAUSES, type Cause } from "../../signature/diagnose/causes.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import { printable } from "../printable.ts";

/** Added if the search ended before everything was tried. */
const PARTLY = ", but not every combination was tried";

/**
 * A diagnosis as lines for people: the simplest explanation with its fixes, then the others in brief; the general fix if
 * there is no explanation.
 */
export function diagnosisLines({ explanations, complete }: Diagnosis, general: string): readonly string[] {
  const [nearest = [], ...others] = explanations;
  const fixes = nearest.length === 0 ? [general] : [...new Set(nearest.map(({ fix }) => fix))];
  return [
    ...nearest.filter(says).map((cause) => `cause: ${cause.code}: ${cause.meaning}${inBrackets(cause)}`),
    ...(nearest.length === 0
      ? [`cause: unexplained: ${CAUSES.unexplained.meaning}${complete ? "" : PARTLY}`]
      : []),
    ...fixes.map((fix) => `fix: ${fix}`),
    ...others.map((causes) => `or: ${causes.map((cause) => cause.code + inBrackets(cause)).join(" and ")}`),
  ];
}

/** What to try if nothing explains the signature. */
export function adviceLines({ advice }: Diagnosis): readonly string[] {
  return advice.map((line, index) => `try ${index + 1}: ${line}`);
}

/** A diagnosis as the fields of a record. */
export function diagnosisFields({ code, explanations, advice, tried, complete }: Diagnosis) {
  const [nearest = [], ...others] = explanations;
  return {
    cause: code,
    causes: nearest.map(({ code, detail, meaning, fix }) => ({ code, detail, meaning, fix })),
    otherwise: others.map((causes) => causes.map(({ code, detail }) => ({ code, detail }))),
    ...{ advice, tried, complete },
  };
}

/** A missing header is already the reason, and need not be repeated as a cause. */
function says({ code }: Cause): boolean {
  return code !== "header_missing";
}

function inBrackets({ detail }: Cause): string {
  return detail === null ? "" : ` (${printable(detail, 80)})`;
}
