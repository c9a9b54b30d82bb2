import { isIn } from "./answer.ts";
import { expectsConfirmation } from "./check-case.ts";
import { type CheckReport, type CheckResult, isFatal } from "./check-result.ts";
import type { FoundCause } from "./found-cause.ts";
import { isReceiversFault, type Stop } from "./stop.ts";

/**
 * What matters most of a run: that forged deliveries get in, that it ended early, that valid
 * deliveries are refused, or that all is well.
 */
export interface ReportVerdict {
  readonly type:
    | "passed"
    | "forged"
    | "stopped"
    | "stopped_receiver"
    | "refuses_valid"
    | "runs_wrongly"
    | "failed";
  /** The common cause that explains it, if one does. */
  readonly cause?: FoundCause | undefined;
  /** That no runs were observed, so that it passed only as far as answers show. */
  readonly isUnseen?: boolean;
  /** Why the run ended early, if that matters most. */
  readonly stop?: Stop;
}

export function verdictOnReport(report: CheckReport, strict: boolean): ReportVerdict {
  const { results, stopped, diagnosis } = report;
  const [cause] = diagnosis;
  if (cause?.letsForgedIn === true) return { type: "forged", cause };
  const isCut = stopped?.code === "out_of_time";
  if (stopped !== null && !(isCut && results.some((result) => isFatal(result, strict))))
    return { type: isReceiversFault(stopped) ? "stopped_receiver" : "stopped", stop: stopped };
  const fatal = results.filter((result) => isFatal(result, strict));
  const isMixed = diagnosis.some(({ code }) => code === "refuses_at_random");
  if (fatal.length === 0 && !isMixed) {
    const isUnseen = results.some(({ fault }) => fault?.code === "no_observer");
    return { type: "passed", isUnseen };
  }
  if (isMixed || fatal.some(refusesValid)) return { type: "refuses_valid", cause };
  return { type: fatal.some(runsWrongly) ? "runs_wrongly" : "failed", cause };
}

/** The common causes that the verdict does not name already. */
export function furtherCauses(
  { diagnosis }: CheckReport,
  { cause: named }: ReportVerdict,
): readonly FoundCause[] {
  return diagnosis.filter((cause) => cause !== named);
}

/** Whether a valid delivery was never confirmed. */
function refusesValid({ checkCase, answers, severity }: CheckResult): boolean {
  return severity === "required" && expectsConfirmation(checkCase) && !answers.some(isConfirming);
}

function runsWrongly({ checkCase, answers, runs }: CheckResult): boolean {
  return runs !== null && expectsConfirmation(checkCase) && answers.some(isConfirming);
}

/** Only 200 confirms a delivery. */
function isConfirming(answer: CheckResult["answers"][number]): boolean {
  return isIn(answer, ["200"]);
}
