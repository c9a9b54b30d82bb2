import { randomInt } from "node:crypto";
import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import { type Sendable, spread } from "../../relay/chaos.ts";
import type { CliContext } from "../context.ts";
import type { ChaosCommandOptions } from "./chaos-options.ts";
import { dryRun } from "./dry-run.ts";
import { type SendPlan, sendAll } from "./send-all.ts";

export interface SendDestination
  extends Pick<SendPlan, "target" | "where" | "timeout" | "onSent" | "toGoOn"> {
  readonly header: string;
  /** The seed if the user gave none. Default: random. */
  readonly seed?: number;
}

/** Where to send, and where that is from unless it was typed. */
export function endpointOf(
  url: URL | undefined,
  { origins }: CliContext,
): Pick<SendPlan, "target" | "where"> {
  if (url !== undefined) return { target: url, where: origins.get("url") };
  return { target: new URL(DEFAULT_ENDPOINT), where: "the default: no listen runs in this folder" };
}

/** Spreads sendings out, disturbs them as requested, and sends them, or prints how to send them. */
export async function sendWithChaos(
  sendings: readonly Sendable[],
  { duplicate: copies = 1, shuffle, rate, delay, drop, tamper, noSignature, ...options }: ChaosCommandOptions,
  { header, seed: drawn = randomInt(2 ** 32), ...plan }: SendDestination,
  context: CliContext,
): Promise<void> {
  const { seed = drawn } = options;
  const chance = shuffle === true || delay !== undefined || drop !== undefined || tamper !== undefined;
  if (options.seed === undefined && chance)
    context.output.talk(`seed: ${seed} (--seed ${seed} repeats this run)`);
  const schedules = { copies, ...(shuffle && { shuffle }), ...(rate && { rate }), ...(delay && { delay }) };
  const chaos = {
    header,
    ...(drop !== undefined && { drop }),
    ...(tamper && { tamper }),
    ...(noSignature && { noSignature }),
  };
  const disturbed = spread(sendings, schedules, chaos, seed);
  if (options.dryRun === true) {
    dryRun(disturbed, { target: plan.target, folder: options.bodiesTo }, context);
    return;
  }
  const { concurrency, maxFailures, failFast } = options;
  await sendAll(disturbed, { ...plan, concurrency, maxFailures, failFast }, context);
}
