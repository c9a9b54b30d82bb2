import { randomInt } from "node:crypto";
import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import { type Sendable, spread } from "../../relay/chaos.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import type { CliContext } from "../context.ts";
import { requireReach } from "../mcp/reach.ts";
import { SentEvents } from "../outcome/wait-for-sent.ts";
import { findSigningKey } from "../service/signing-key.ts";
import { datedTo, type SendingOptions } from "./chaos-options.ts";
import { dryRun } from "./dry-run.ts";
import { reserveInstants } from "./instants.ts";
import { SendingRun, type SendPlan } from "./send-all.ts";

interface Destination extends Pick<SendPlan, "target" | "where" | "onSent" | "toGoOn"> {
  /** The seed if the user gave none. Default: random. */
  readonly seed?: number;
  /** With `--wait`: the inbox of the endpoint. */
  readonly inbox: string | undefined;
  /** Called once all are sent, before anything is waited for. */
  readonly onDone?: () => void;
}

/**
 * Where to send, and where that is from unless it was typed. Throws `usage` if an agent may not
 * reach it.
 */
export function endpointOf({ url }: SendingOptions, { io, origins }: CliContext) {
  if (url === undefined)
    return {
      target: new URL(DEFAULT_ENDPOINT),
      where: "the default: no listen runs in this folder",
    };
  const where = origins.get("url");
  requireReach(url, where, io);
  return { target: url, where };
}

/**
 * How new events are signed, if they are, and the timestamp of the first. Each has a millisecond of
 * its own, or two that differ in their timestamps alone would become one.
 */
export async function signingOf(count: number, options: SendingOptions, context: CliContext) {
  const { noSignature, dryRun, signatureHeader: header = SIGNATURE_HEADER } = options;
  const key =
    noSignature === true ? undefined : (await findSigningKey(options, context)).current.key;
  const reserving = { cwd: context.io.cwd, clock: context.clock, dryRun: dryRun === true };
  return { key, header, first: datedTo(await reserveInstants(count, reserving), options) };
}

/**
 * Spreads sendings out, disturbs them as requested, sends them, and waits for what becomes of them
 * if that is asked for; or prints how to send them.
 */
export async function sendWithChaos(
  sendings: readonly Sendable[],
  {
    duplicate: copies = 1,
    shuffle,
    rate,
    delay,
    drop,
    tamper,
    noSignature,
    ...options
  }: SendingOptions,
  { seed: drawn = randomInt(2 ** 32), onSent, onDone, inbox, ...endpoint }: Destination,
  context: CliContext,
): Promise<void> {
  const { seed = drawn, signatureHeader: header = SIGNATURE_HEADER } = options;
  const chance =
    shuffle === true || delay !== undefined || drop !== undefined || tamper !== undefined;
  if (options.seed === undefined && chance)
    context.output.talk(`seed: ${seed} (--seed ${seed} repeats this run)`);
  const schedules = {
    copies,
    ...(shuffle && { shuffle }),
    ...(rate && { rate }),
    ...(delay && { delay }),
  };
  const chaos = {
    header,
    ...(drop !== undefined && { drop }),
    ...(tamper && { tamper }),
    ...(noSignature && { noSignature }),
  };
  const disturbed = spread(sendings, schedules, chaos, seed);
  if (options.dryRun === true) {
    dryRun(disturbed, { target: endpoint.target, folder: options.bodiesTo }, context);
    return;
  }
  const { timeout, concurrency, maxFailures, failFast, expect } = options;
  const sent = new SentEvents();
  const noteSent: SendPlan["onSent"] = (item, answer) => {
    onSent?.(item, answer);
    sent.add(item, answer);
  };
  const how = { timeout, concurrency, maxFailures, failFast, expect };
  const plan = { ...endpoint, ...how, onSent: noteSent };
  await new SendingRun(disturbed, plan, context).toEnd();
  onDone?.();
  if (options.wait === true && context.exitCode < 128)
    await sent.report({ ...options, inbox }, context);
}
