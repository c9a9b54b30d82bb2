import { createHash, randomInt } from "node:crypto";
import type { Command } from "commander";
import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import { didYouMean } from "../../options/did-you-mean.ts";
import { lazySending } from "../../relay/replay.ts";
import { triggerDelivery } from "../../relay/trigger.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import type { CliContext } from "../context.ts";
import { readInput, refuseTwoInputs } from "../files/read-input.ts";
import { usageError } from "../input-errors.ts";
import { learnedData } from "../learn/learned-data.ts";
import { requireReadable, SentEvents } from "../outcome/wait-for-sent.ts";
import type { SecretOptions } from "../secrets/options.ts";
import { findKey } from "../secrets/secret.ts";
import { isTyped } from "../settings/config.ts";
import { fitOptions } from "../settings/fitting.ts";
import { type ChaosCommandOptions, datedTo, FITTING_CHAOS } from "./chaos-options.ts";
import { reserveInstants } from "./instants.ts";
import { endpointOf, sendWithChaos } from "./send-with-chaos.ts";

export interface TriggerCommandOptions extends SecretOptions, ChaosCommandOptions {
  readonly all?: boolean;
  readonly unknownKind?: boolean;
  readonly url?: URL;
  readonly set?: readonly { path: string; value: string }[];
  readonly data?: string;
  readonly count?: number;
  readonly timeout?: number;
  readonly inbox?: string;
  readonly signatureHeader?: string;
  readonly shapes?: string | false;
}

/** `trigger <kind>`: creates sample events, signs them and sends them. */
export async function runTrigger(
  kind: string | undefined,
  given: TriggerCommandOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const options = fitOptions(given, command, FITTING_CHAOS);
  if (options.wait === true) await requireReadable(options.inbox, context);
  const all = options.all === true && (kind === undefined || isTyped(command, "all"));
  const kinds = chooseKinds(kind, { ...options, all });
  const { clock } = context;
  const data = await readData(options.data, options, context);
  const learned = data === undefined ? await learnedData(options, context) : undefined;
  const key = options.noSignature === true ? undefined : await findKey(options, context);

  const { count = 1, set = [] } = options;
  const header = options.signatureHeader ?? SIGNATURE_HEADER;
  const events = Array.from({ length: count }, (_, round) => kinds.map((one) => ({ one, round }))).flat();
  const seed = options.seed ?? randomInt(2 ** 32);
  // Events must differ, or they would be duplicates: each has a millisecond of its own.
  const reserving = { cwd: context.io.cwd, clock, dryRun: options.dryRun === true };
  const first = datedTo(await reserveInstants(events.length, reserving), options);
  const sendings = events.map(({ one, round }, index) =>
    lazySending(one, () => {
      const resource = resourceOf(seed, round);
      const own = data ?? learned?.(one, seed + index);
      const terms = { timestamp: first + index, set, resource, ...(own !== undefined && { data: own }) };
      return triggerDelivery(one, terms, { header, key });
    }),
  );
  const { target, where } = endpointOf(options.url, context);
  const toGoOn = (left: number) =>
    kinds.length === 1 && options.duplicate === undefined ? `--count ${left} sends the rest` : undefined;
  const { timeout, inbox } = options;
  const sent = new SentEvents();
  const onSent = sent.add.bind(sent);
  await sendWithChaos(sendings, options, { target, where, header, seed, timeout, toGoOn, onSent }, context);
  if (options.wait === true) await sent.report({ inbox, timeout }, context);
}

/** The part of a sample's id that names its resource: the same for all kinds of one round. */
function resourceOf(seed: number, round: number): string {
  return createHash("sha256").update(`${seed} ${round}`).digest("hex").slice(0, 12);
}

function chooseKinds(kind: string | undefined, { all, unknownKind }: TriggerCommandOptions) {
  if (all === true && kind === undefined) return eventKinds;
  if (all === true) throw usageError("expected a kind or --all, got both: remove one");
  if (kind === undefined)
    throw usageError(`expected a kind or --all, got neither: the kinds are ${eventKinds.join(", ")}`);
  if (isEventKind(kind) || unknownKind === true) return [kind];
  const family = kind.endsWith(".*") ? eventKinds.filter((one) => matchesKind(kind, one)) : [];
  if (family.length > 0) return family;
  const meant = didYouMean(kind, eventKinds);
  const fix = meant === undefined ? `the kinds are ${eventKinds.join(", ")}` : `did you mean ${meant}?`;
  throw usageError(
    `expected an event kind, got ${JSON.stringify(kind)}: ${fix} (--unknown-kind sends it anyway)`,
  );
}

async function readData(given: string | undefined, options: SecretOptions, { io }: CliContext) {
  if (given === undefined || !given.startsWith("@")) return given;
  refuseTwoInputs(given.slice(1), options);
  return (await readInput(io, given.slice(1))).toString("utf8").replace(/^\uFEFF/, "");
}
