import { randomInt } from "node:crypto";
import { disturb, type Sendable } from "../../relay/chaos.ts";
import { seededRandom } from "../../relay/random.ts";
import { schedule } from "../../relay/schedule.ts";
import type { CliContext } from "../context.ts";
import type { ChaosCommandOptions } from "./chaos-options.ts";
import { dryRun } from "./dry-run.ts";
import { type SendPlan, sendAll } from "./send-all.ts";

/** Where to send, how, and the name of the signature header. */
export interface Destination extends Pick<SendPlan, "target" | "timeout" | "areNew" | "onSent" | "toGoOn"> {
  readonly header: string;
  /** The seed if the user gave none. Default: random. */
  readonly seed?: number;
}

/** Chaos has its own random sequence, so that it does not change the order and the delays of a seed. */
const CHAOS_ROW = 0x9e3779b9;

/** Spreads sendings out, disturbs them as requested, and sends them, or prints how to send them. */
export async function sendWithChaos(
  sendings: readonly Sendable[],
  { duplicate: copies = 1, shuffle, rate, delay, drop, tamper, noSignature, ...options }: ChaosCommandOptions,
  { header, seed: drawn = randomInt(2 ** 32), ...plan }: Destination,
  context: CliContext,
): Promise<void> {
  const { seed = drawn } = options;
  const chance = shuffle === true || delay !== undefined || drop !== undefined || tamper !== undefined;
  if (options.seed === undefined && chance)
    context.output.talk(`seed: ${seed} (--seed ${seed} repeats this run)`);
  const spread = { copies, ...(shuffle && { shuffle }), ...(rate && { rate }), ...(delay && { delay }) };
  const scheduled = schedule(sendings, spread, seededRandom(seed));
  const chaos = {
    header,
    ...(drop !== undefined && { drop }),
    ...(tamper && { tamper }),
    ...(noSignature && { noSignature }),
  };
  const disturbed = disturb(scheduled, chaos, seededRandom((seed ^ CHAOS_ROW) >>> 0));
  if (options.dryRun === true) {
    dryRun(disturbed, { target: plan.target, folder: options.bodiesTo }, context);
    return;
  }
  const { concurrency, maxFailures, failFast } = options;
  await sendAll(disturbed, { ...plan, concurrency, maxFailures, failFast }, context);
}
