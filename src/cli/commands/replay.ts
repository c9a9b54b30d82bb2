import type { Command } from "commander";
import { HookporterError } from "../../errors.ts";
import type { Sendable } from "../../relay/chaos.ts";
import type { Fixture } from "../../relay/fixture.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions, findKey, type SecretOptions } from "../secrets/secret.ts";
import {
  addChaosOptions,
  CHAOS_FLAGS,
  type ChaosCommandOptions,
  datedTo,
  settleChaos,
} from "../send/chaos-options.ts";
import { isTyped } from "../settings/config.ts";
import { readDuration, readEndpoint, readHeaderName } from "../settings/values.ts";

/** The options of `replay`. */
export interface ReplayOptions extends SecretOptions, ChaosCommandOptions {
  readonly url?: URL;
  readonly exact?: boolean;
  readonly handlers?: string;
  readonly inbox?: string;
  readonly timeout?: number;
  readonly signatureHeader?: string;
}

/** `replay <what…>`: fixtures or entries, sent again. */
export function registerReplay(program: Command, context: CliContext): void {
  const command = program
    .command("replay")
    .description(
      "send saved deliveries, envelopes or inbox entries again, in the order given, folders in name order",
    )
    .argument("<what...>", "files, folders of .json files, event ids or entry numbers")
    .option("--exact", "send the same bytes and signature (default: now as timestamp, signed again)")
    .option(
      "--url <url>",
      "endpoint, or a port on this machine (default: http://127.0.0.1:4400/webhooks)",
      readEndpoint,
    )
    .option("--handlers <path>", "run the handlers of this file or folder in this process instead of sending")
    .option("--inbox <file>", "inbox to take entries from (default: .hookporter/inbox.db)")
    .option(
      "--timeout <duration>",
      "how long to wait for each answer or handler (default: 30s)",
      readDuration,
    )
    .option(
      "--signature-header <name>",
      "name of the signature header (default: x-service-signature)",
      readHeaderName,
    );
  addSecretOptions(addChaosOptions(command))
    .addHelpText(
      "after",
      "\nExample:\n  hookporter replay fixtures/ --exact --url http://127.0.0.1:3000/webhooks",
    )
    .action((what: readonly string[], given: ReplayOptions) => {
      const options = settleChaos(command, given, {
        exact: { with: ["stale", "future"], why: "--exact sends the saved bytes, their date included" },
        handlers: { with: CHAOS_FLAGS, why: "handlers run here, nothing is sent" },
      });
      const { handlers, ...others } = options;
      if (handlers === undefined || !isTyped(command, "url")) return runReplay(what, options, context);
      if (!isTyped(command, "handlers")) return runReplay(what, others, context);
      throw new HookporterError(
        "usage",
        "expected --url or --handlers, got both: handlers run here, nothing is sent",
      );
    });
}

async function runReplay(
  what: readonly string[],
  options: ReplayOptions,
  context: CliContext,
): Promise<void> {
  const { gatherFixtures } = await import("../send/gather-fixtures.ts");
  const fixtures = await gatherFixtures(what, options, context);
  if (options.handlers !== undefined) {
    const { runInProcess } = await import("../send/run-in-process.ts");
    const { exact, timeout } = options;
    await runInProcess(fixtures, { path: options.handlers, exact: exact === true, timeout }, context);
    return;
  }
  const [
    { exactSending, freshSending, lazySending, unsignedSending },
    { SIGNATURE_HEADER },
    { sendWithChaos },
  ] = await Promise.all([
    import("../../relay/replay.ts"),
    import("../../signature/sign.ts"),
    import("../send/send-with-chaos.ts"),
  ]);
  const header = options.signatureHeader ?? SIGNATURE_HEADER;
  const target = options.url ?? readEndpoint("4400");
  const now = datedTo(context.clock(), options);
  const make = await settleSending();
  const sendings = fixtures.map(({ name, fixture }) => make(fixture, name));
  await sendWithChaos(sendings, options, { target, header, timeout: options.timeout }, context);

  async function settleSending(): Promise<(fixture: Fixture, name: string) => Sendable> {
    // What cannot be sent as it is has to be known before anything is sent; the others can all be signed.
    if (options.exact === true) return (fixture, label) => ({ label, ...exactSending(fixture, label) });
    if (options.noSignature === true)
      return (fixture, label) => lazySending(label, () => unsignedSending(fixture, now));
    const key = await findKey(options, context);
    return (fixture, label) => lazySending(label, () => freshSending(fixture, { key, header, now }));
  }
}
