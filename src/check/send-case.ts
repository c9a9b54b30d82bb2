import { describeError, HookporterError } from "../base/errors.ts";
import { isIn, mayBeSignature, type ProbeAnswer } from "./answer.ts";
import { whyAllRefused } from "./attempts/find-cause.ts";
import { FORGED } from "./cases/forgeries.ts";
import type { CheckCase } from "./catalogue.ts";
import { type Evidence, expectsConfirmation, type Group, groupOf } from "./check-case.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import { isValid } from "./delivery.ts";
import type { FoundCauses } from "./diagnosis.ts";
import { judge, notObserved, showsSignature } from "./judge.ts";
import { isRateLimited } from "./limits.ts";
import type { Probe } from "./probe.ts";
import { SLOW } from "./response-times.ts";

/** Sends what a case sends, and what of it failed once more, and judges that. */
export async function sendCase(
  checkCase: CheckCase,
  probe: Probe,
  extraProbe: Probe,
  { timeout, slow = SLOW }: Pick<CheckOptions, "timeout" | "slow">,
): Promise<CheckResult> {
  const start = performance.now();
  const duration = () => Math.round(performance.now() - start);
  let evidence: Evidence;
  try {
    evidence = toEvidence(await checkCase.send(probe));
    const resent = expectsConfirmation(checkCase) ? await sendAgain(probe) : undefined;
    if (resent !== undefined) evidence = { ...evidence, resent };
    const ran = await sawRun(checkCase, evidence, probe);
    if (ran !== undefined) evidence = { ...evidence, ran };
  } catch (thrown) {
    if (!(thrown instanceof HookporterError)) throw thrown;
    return notObserved(checkCase, describeError(thrown), duration());
  }
  const isRefused = showsSignature(checkCase) && evidence.answers.some(mayBeSignature);
  const refusal = isRefused ? await refusalOf(extraProbe) : undefined;
  return judge(checkCase, evidence, { timeout, slow, duration: duration(), refusal });
}

function toEvidence(given: ProbeAnswer | readonly ProbeAnswer[] | Evidence): Evidence {
  if ("answers" in given) return given;
  return { answers: "type" in given ? [given] : given };
}

/**
 * Sends a valid delivery that was answered 5xx once more, as the service does, and sees whether its
 * event runs.
 */
async function sendAgain(probe: Probe): Promise<Evidence["resent"]> {
  const failed = probe.exchanges.find(
    (exchange) =>
      isValid(exchange) && isIn(exchange.answer, ["5xx"]) && !isRateLimited(exchange.answer),
  );
  if (failed === undefined) return undefined;
  const answer = await probe.post(failed.body);
  // Samples of other kinds have ids of their own.
  const isCounted = probe.isObserved && Buffer.from(failed.body).includes(probe.marker);
  if (!isCounted || !isIn(answer, ["2xx"])) return { answer };
  return { answer, runs: await probe.runs([failed.body], 1) };
}

/** Cases whose confirmed events must run: those of the other groups count runs themselves. */
const MUST_RUN: ReadonlySet<Group> = new Set(["SIG", "BODY", "HTTP", "TIME"]);

/** Whether the events of a case ran that were confirmed; `undefined` if that cannot be seen. */
async function sawRun(
  checkCase: CheckCase,
  { runs, answers }: Evidence,
  probe: Probe,
): Promise<boolean | undefined> {
  const isSeen = probe.isObserved && runs === undefined && MUST_RUN.has(groupOf(checkCase));
  // A receiver that may refuse it may leave it alone, too.
  const mustRun = isSeen && checkCase.expects.answers.every((answer) => answer === "200");
  if (!mustRun || !answers.every((answer) => isIn(answer, ["200"]))) return undefined;
  const bodies = probe.exchanges
    .filter((exchange) => isIn(exchange.answer, ["200"]))
    .map(({ body }) => body);
  const isNamed = bodies.some((body) => Buffer.from(body).includes(probe.marker));
  return isNamed ? (await probe.ran(bodies)) > 0 : undefined;
}

/** How the receiver answers to a wrong signature, if it refuses it. */
async function refusalOf(probe: Probe): Promise<ProbeAnswer | undefined> {
  const answer = await probe.post(probe.body(), { signature: FORGED.wrong });
  return isIn(answer, ["4xx"]) ? answer : undefined;
}

/** A control with what was found by attempts. */
export interface ExplainedControl {
  readonly control: CheckResult;
  readonly found: FoundCauses;
}

/**
 * Tries the control with the common faults of receivers if its signature may be why it is refused.
 */
export async function explainControl(
  control: CheckResult,
  extraProbe: Probe,
): Promise<ExplainedControl> {
  const [answer] = control.answers;
  if (answer === undefined || isIn(answer, ["200"])) return { control, found: {} };
  const text = answer.type === "status" ? answer.text : undefined;
  const cause = mayBeSignature(answer) ? await whyAllRefused(extraProbe, answer) : undefined;
  const found = { text, control: cause };
  if (cause === undefined) return { control, found };
  return { control: { ...control, fault: { code: "found", found: cause } }, found };
}
