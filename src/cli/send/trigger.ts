import { createHash, randomInt } from "node:crypto";
import type { Command } from "commander";
import { didYouMean } from "../../base/options/did-you-mean.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import { lazySending } from "../../relay/replay.ts";
import { triggerDelivery } from "../../relay/trigger.ts";
import type { CliContext } from "../context.ts";
import { readInput, refuseTwoInputs } from "../files/read-input.ts";
import { usageError } from "../input-errors.ts";
import { learnedData } from "../learn/learned-data.ts";
import { inboxToWaitIn } from "../outcome/wait-for-sent.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { isTyped } from "../settings/config.ts";
import { type OptionConflicts, resolveOptionConflicts } from "../settings/fitting.ts";
import { FITTING_CHAOS, type SendingOptions } from "./chaos-options.ts";
import { endpointOf, sendWithChaos, signingOf } from "./send-with-chaos.ts";

export interface TriggerCommandOptions extends SendingOptions {
  readonly all?: boolean;
  readonly unknownKind?: boolean;
  readonly set?: readonly { path: string; value: string }[];
  readonly data?: string;
  readonly count?: number;
  readonly shapes?: string | false;
}

const FITTING: OptionConflicts<SendingOptions> = {
  ...FITTING_CHAOS,
  expect: { excludes: ["dryRun", "wait"], why: "what was refused has no outcome" },
};

/** `trigger <kind>`: creates sample events, signs them and sends them. */
export async function runTrigger(
  kind: string | undefined,
  given: TriggerCommandOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const options = resolveOptionConflicts(given, command, FITTING);
  const inbox = options.wait === true ? await inboxToWaitIn(options, context) : undefined;
  const all = options.all === true && (kind === undefined || isTyped(command, "all"));
  const kinds = chooseKinds(kind, { ...options, all });
  const data = await readData(options.data, options, context);
  const learned = data === undefined ? await learnedData(options, context) : undefined;

  const { count = 1, set = [], seed = randomInt(2 ** 32) } = options;
  const events = Array.from({ length: count }, (_, round) =>
    kinds.map((kind) => ({ one: kind, round })),
  ).flat();
  const { first, ...signing } = await signingOf(events.length, options, context);
  const sendings = events.map(({ one: text, round }, index) =>
    lazySending(text, () => {
      // The same for all kinds of one round, as part of their ids.
      const resource = createHash("sha256").update(`${seed} ${round}`).digest("hex").slice(0, 12);
      const own = data ?? learned?.(text, seed + index);
      const terms = {
        timestamp: first + index,
        set,
        resource,
        ...(own !== undefined && { data: own }),
      };
      return triggerDelivery(text, terms, signing);
    }),
  );
  const toGoOn = (left: number) =>
    kinds.length === 1 && options.duplicate === undefined
      ? `--count ${left} sends the rest`
      : undefined;
  const destination = { ...endpointOf(options, context), seed, toGoOn, inbox };
  await sendWithChaos(sendings, options, destination, context);
}

function chooseKinds(kind: string | undefined, { all, unknownKind }: TriggerCommandOptions) {
  if (all === true && kind === undefined) return eventKinds;
  if (all === true) throw usageError("expected a kind or --all, got both: remove one");
  if (kind === undefined)
    throw usageError(
      `expected a kind or --all, got neither: the kinds are ${eventKinds.join(", ")}`,
    );
  if (isEventKind(kind) || unknownKind === true) return [kind];
  const family = kind.endsWith(".*")
    ? eventKinds.filter((eventKind) => matchesKind(kind, eventKind))
    : [];
  if (family.length > 0) return family;
  const meant = didYouMean(kind, eventKinds);
  const fix =
    meant === undefined ? `the kinds are ${eventKinds.join(", ")}` : `did you mean ${meant}?`;
  throw usageError(
    `expected an event kind, got ${JSON.stringify(kind)}: ${fix} (--unknown-kind sends it anyway)`,
  );
}

async function readData(given: string | undefined, options: SecretOptions, { io }: CliContext) {
  if (given === undefined || !given.startsWith("@")) return given;
  refuseTwoInputs(given.slice(1), options);
  return (await readInput(io, given.slice(1))).toString("utf8").replace(/^\uFEFF/, "");
}
