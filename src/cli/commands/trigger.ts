import type { Command } from "commander";
import { HookporterError } from "../../errors.ts";
import { eventKinds, isEventKind } from "../../event/kinds.ts";
import { addChaosOptions, type ChaosCommandOptions, datedTo, settleChaos } from "../chaos-options.ts";
import { isTyped } from "../config.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions, findKey, type SecretOptions } from "../secret.ts";
import { readCount, readDuration, readEndpoint, readHeaderName } from "../values.ts";

interface TriggerCommandOptions extends SecretOptions, ChaosCommandOptions {
  readonly all?: boolean;
  readonly unknownKind?: boolean;
  readonly url?: URL;
  readonly set?: readonly { path: string; value: string }[];
  readonly data?: string;
  readonly count?: number;
  readonly timeout?: number;
  readonly signatureHeader?: string;
}

/** `trigger <kind>`: signs and sends a sample event. */
export function registerTrigger(program: Command, context: CliContext): void {
  const command = program
    .command("trigger")
    .description("create a sample event, sign it and send it")
    .argument("[kind]", `one of ${eventKinds.join(", ")}`)
    .option("--all", "send one event of each kind")
    .option("--unknown-kind", "allow a kind other than the 12 known ones")
    .option(
      "--url <url>",
      "endpoint, or a local port (default: http://127.0.0.1:4400/webhooks)",
      readEndpoint,
    )
    .option(
      "--set <path=value>",
      "set a value in the envelope, such as data.amount=1200; may be repeated",
      readAssignment,
    )
    .option(
      "--data <json>",
      "JSON object to send as data; @file reads it from a file, @- from standard input",
    )
    .option(
      "--count <n>",
      "number of events to send, each with a different timestamp (default: 1)",
      readCount,
    )
    .option("--timeout <duration>", "how long to wait for each response (default: 30s)", readDuration)
    .option(
      "--signature-header <name>",
      "name of the signature header (default: x-service-signature)",
      readHeaderName,
    );
  addSecretOptions(addChaosOptions(command))
    .addHelpText(
      "after",
      "\nExample:\n  hookporter trigger payment.received --set data.amount=1200 --duplicate 2",
    )
    .action((kind: string | undefined, options: TriggerCommandOptions) => {
      const all = options.all === true && (kind === undefined || isTyped(command, "all"));
      return runTrigger(kind, { ...settleChaos(command, options), all }, context);
    });
}

async function runTrigger(
  kind: string | undefined,
  options: TriggerCommandOptions,
  context: CliContext,
): Promise<void> {
  const kinds = chooseKinds(kind, options);
  const [{ triggerBody }, signing, { sendWithChaos }] = await Promise.all([
    import("../../relay/trigger.ts"),
    import("../../signature/sign.ts"),
    import("../send-with-chaos.ts"),
  ]);
  const { clock } = context;
  const data = await readData(options.data, options, context);
  const key = options.noSignature === true ? undefined : await findKey(options, context);

  const { count = 1, set = [] } = options;
  const header = options.signatureHeader ?? signing.SIGNATURE_HEADER;
  const events = Array.from({ length: count }, (_, index) => kinds.map((one) => ({ one, index }))).flat();
  // Events must differ, or they would be duplicates: each gets a different millisecond, none ahead of the clock.
  const newest = datedTo(clock(), options);
  const sendings = events.map(({ one }, index) => {
    const timestamp = newest - (events.length - 1 - index);
    const body = triggerBody(one, { timestamp, set, ...(data !== undefined && { data }) });
    const signature = key === undefined ? {} : { [header]: signing.sign(body, key) };
    return { label: one, headers: { "content-type": "application/json", ...signature }, body };
  });
  const target = options.url ?? readEndpoint("4400");
  await sendWithChaos(sendings, options, { target, header, timeout: options.timeout }, context);
}

function chooseKinds(
  kind: string | undefined,
  { all, unknownKind }: TriggerCommandOptions,
): readonly string[] {
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
  const { readInput, refuseTwoInputs } = await import("../read-input.ts");
  refuseTwoInputs(given.slice(1), options);
  return (await readInput(io, given.slice(1))).toString("utf8").replace(/^\uFEFF/, "");
}

function readAssignment(
  text: string,
  before: readonly { path: string; value: string }[] = [],
): readonly { path: string; value: string }[] {
  const at = text.indexOf("=");
  if (at < 1) throw new HookporterError("usage", `expected --set path=value, got ${JSON.stringify(text)}`);
  return [...before, { path: text.slice(0, at), value: text.slice(at + 1) }];
}
