import type { CaseId } from "../catalogue.ts";
import type { CheckReport } from "../check-result.ts";
import type { ReportVerdict } from "../verdict.ts";
import { causeText, namedCases } from "./common-causes.ts";
import { stopText } from "./stops.ts";

/** How each verdict begins. */
const VERDICTS: Readonly<Record<ReportVerdict["type"], string>> = {
  passed: "passed",
  forged: "FORGED DELIVERIES GET IN",
  stopped: "stopped",
  stopped_receiver: "failed",
  refuses_valid: "failed, valid deliveries are refused",
  runs_wrongly: "failed, confirmed events do not run exactly once",
  failed: "failed",
};

/** What matters most, in a line. */
export function verdictText({ type, cause, stop, isUnseen }: ReportVerdict): string {
  const begins = VERDICTS[type];
  if (isUnseen === true) return `${begins}; duplicates and handling not seen`;
  if (stop !== undefined) return `${begins}: ${stopText(stop)}`;
  return cause === undefined ? begins : `${begins}: ${causeText(cause)}`;
}

/** The first sentence of a verdict, without its fix. */
export function verdictInBrief(verdict: ReportVerdict): string {
  const text = verdictText(verdict);
  if (verdict.type === "passed") return text;
  return /^.*?(?=[.;] |[.]?$)/.exec(text)?.[0] ?? text;
}

/** The cases that the verdict and the common causes name. */
export function casesNamed(
  { stop }: ReportVerdict,
  { diagnosis }: Pick<CheckReport, "diagnosis">,
): ReadonlySet<CaseId | null | undefined> {
  return new Set([stop?.by, ...namedCases(diagnosis)]);
}
