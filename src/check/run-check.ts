/**
 * The address and secret of any receiver come in. Requests go out, and a verdict with its cause
 * for each case. Nothing is sent but what the chosen cases say.
 */

import { randomBytes } from "node:crypto";
import { HookporterError } from "../base/errors.ts";
import { shownUrl } from "../base/text/shown-url.ts";
import { tryToConnect } from "../http/try-to-connect.ts";
import { whySpellingsRefused } from "./attempts/find-cause.ts";
import { type CheckCase, CONTROL } from "./catalogue.ts";
import type { CheckOptions } from "./check-options.ts";
import { type CheckReport, type CheckResult, countResults } from "./check-result.ts";
import { diagnose, type FoundCauses, refusesSpellings } from "./diagnosis.ts";
import type { FoundCause } from "./found-cause.ts";
import type { Limit } from "./limits.ts";
import type { Observer } from "./observer.ts";
import { Pace } from "./pace.ts";
import { Probe } from "./probe.ts";
import { curlText, findProof } from "./proof.ts";
import { diagnoseTimes, responseTimesOf, SLOW } from "./response-times.ts";
import { Run } from "./run.ts";
import { connectFailureText } from "./words/absences.ts";

/**
 * Runs cases against a receiver. The control runs alone, before all others. Throws
 * `target_unreachable` before any case; `usage` if the observer returns no number.
 */
export async function runCheck(options: CheckOptions): Promise<CheckReport> {
  const { url, observer } = options;
  const failure = await tryToConnect(url, options);
  if (failure !== undefined) {
    const why = connectFailureText(failure, options.timeout);
    throw new HookporterError("target_unreachable", `${url.origin}: ${why}`);
  }
  const runName = randomBytes(4).toString("hex");
  const pace = new Pace(options.rate);
  try {
    if (observer !== undefined)
      await tryObserver(new Probe("NONE-0", { ...options, runName, pace }), observer);
    return await runAll(options, new Run(options, runName, pace), pace);
  } finally {
    pace.end();
  }
}

async function runAll(options: CheckOptions, run: Run, pace: Pace): Promise<CheckReport> {
  const { url, cases, clock, slow = SLOW } = options;
  const start = performance.now();
  const startedAt = new Date(clock()).toISOString();
  const [control, ...others] = cases;
  if (control?.id !== CONTROL)
    throw new TypeError(`expected ${CONTROL} to be the first of the cases`);
  await run.runCase(control, 0);
  // Large bodies keep this process and the receiver busy, so that all else would be slow.
  const isLarge = ({ isLarge = false }: CheckCase) => isLarge;
  const small = others.filter((other) => !isLarge(other));
  let next = 1;
  const worker = async () => {
    for (let at = next++; at <= small.length; at = next++)
      await run.runCase(small[at - 1] as CheckCase, at);
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  for (const other of others.filter(isLarge))
    await run.runCase(other, next++ - options.concurrency);
  await run.finish();
  const { stopped } = run;
  const order = new Map(cases.map(({ id }, at) => [id, at]));
  const placeOf = ({ checkCase: { id } }: CheckResult) => order.get(id) ?? 0;
  const results = run.results.toSorted((a, b) => placeOf(a) - placeOf(b));
  const spelling =
    stopped === null && run.found.mixed === undefined && refusesSpellings(results)
      ? await whySpellingsRefused(run.extraProbe())
      : undefined;
  const proof = await findProof(results, run.confirmed, run.extraProbe());
  const responseTimes = responseTimesOf(results);
  return {
    url: shownUrl(url),
    startedAt,
    responseTimes,
    results,
    stopped,
    diagnosis: [
      ...diagnose(results, { ...run.found, spelling }),
      ...diagnoseTimes(responseTimes, slow),
      ...(stopped === null ? diagnoseLimit(run.limits.found(), run.found) : []),
    ],
    counts: countResults(results),
    proof: proof === undefined ? null : curlText(proof, options),
    duration: Math.round(performance.now() - start),
    requests: pace.requests,
  };
}

function diagnoseLimit(limit: Limit | undefined, { mixed }: FoundCauses): readonly FoundCause[] {
  // One that refuses at random may look as if it banned a sender for a while.
  if (limit === undefined || (mixed !== undefined && limit.code === "senders_banned")) return [];
  return [{ ...limit, cases: [] }];
}

/** Tests the observer before anything is sent. */
async function tryObserver(probe: Probe, observer: Observer): Promise<void> {
  const count = await observer.count({ marker: probe.marker, bodies: [probe.body()] });
  if (count === 0) return;
  throw new HookporterError(
    "usage",
    `expected --observe to report 0 for an event that was never sent, got ${count}: count only events with the given id`,
  );
}
