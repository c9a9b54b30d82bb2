import type { Command } from "commander";
import { DEFAULT_ENDPOINT } from "../../default-endpoint.ts";
import { HookporterError } from "../../errors.ts";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import { triggerBody } from "../../relay/trigger.ts";
import { SIGNATURE_HEADER, sign } from "../../signature/sign.ts";
import type { CliContext } from "../context.ts";
import { readInput, refuseTwoInputs } from "../files/read-input.ts";
import type { SecretOptions } from "../secrets/options.ts";
import { findKey } from "../secrets/secret.ts";
import { isTyped } from "../settings/config.ts";
import { fitOptions } from "../settings/fitting.ts";
import { type ChaosCommandOptions, datedTo, FITTING_CHAOS } from "./chaos-options.ts";
import { sendWithChaos } from "./send-with-chaos.ts";

/** The options of `trigger`. */
export interface TriggerOptions extends SecretOptions, ChaosCommandOptions {
  readonly all?: boolean;
  readonly unknownKind?: boolean;
  readonly url?: URL;
  readonly set?: readonly { path: string; value: string }[];
  readonly data?: string;
  readonly count?: number;
  readonly timeout?: number;
  readonly signatureHeader?: string;
}

/** `trigger <kind>`: creates sample events, signs them and sends them. */
export async function runTrigger(
  kind: string | undefined,
  given: TriggerOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const options = fitOptions(given, command, FITTING_CHAOS);
  const all = options.all === true && (kind === undefined || isTyped(command, "all"));
  const kinds = chooseKinds(kind, { ...options, all });
  const { clock } = context;
  const data = await readData(options.data, options, context);
  const key = options.noSignature === true ? undefined : await findKey(options, context);

  const { count = 1, set = [] } = options;
  const header = options.signatureHeader ?? SIGNATURE_HEADER;
  const events = Array.from({ length: count }, (_, index) => kinds.map((one) => ({ one, index }))).flat();
  // Events must differ, or they would be duplicates: each gets a different millisecond, none ahead of the clock.
  const newest = datedTo(clock(), options);
  const sendings = events.map(({ one }, index) => {
    const timestamp = newest - (events.length - 1 - index);
    const body = triggerBody(one, { timestamp, set, ...(data !== undefined && { data }) });
    const signature = key === undefined ? {} : { [header]: sign(body, key) };
    return { label: one, headers: { "content-type": "application/json", ...signature }, body };
  });
  const target = options.url ?? new URL(DEFAULT_ENDPOINT);
  await sendWithChaos(sendings, options, { target, header, timeout: options.timeout }, context);
}

function chooseKinds(kind: string | undefined, { all, unknownKind }: TriggerOptions): readonly string[] {
  if (all === true && kind === undefined) return eventKinds;
  if (all === true) throw new HookporterError("usage", "expected a kind or --all, got both: remove one");
  if (kind === undefined) {
    throw new HookporterError(
      "usage",
      `expected a kind or --all, got neither: the kinds are ${eventKinds.join(", ")}`,
    );
  }
  if (isEventKind(kind) || unknownKind === true) return [kind];
  throw new HookporterError(
    "usage",
    `expected an event kind, got ${JSON.stringify(kind)}: the kinds are ${eventKinds.join(", ")} ` +
      "(--unknown-kind sends it anyway)",
  );
}

async function readData(
  given: string | undefined,
  options: SecretOptions,
  { io }: CliContext,
): Promise<string | undefined> {
  if (given === undefined || !given.startsWith("@")) return given;
  refuseTwoInputs(given.slice(1), options);
  return (await readInput(io, given.slice(1))).toString("utf8").replace(/^\uFEFF/, "");
}
