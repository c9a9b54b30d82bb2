import type { Command } from "commander";
import { HookporterError } from "../../errors.ts";
import type { Sendable } from "../../relay/chaos.ts";
import type { Fixture } from "../../relay/fixture.ts";
import {
  addChaosOptions,
  CHAOS_FLAGS,
  type ChaosCommandOptions,
  datedTo,
  settleChaos,
} from "../chaos-options.ts";
import { isTyped } from "../config.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions, findKey, type SecretOptions } from "../secret.ts";
import { readDuration, readEndpoint, readHeaderName } from "../values.ts";

/** The options of `replay`. */
export interface ReplayOptions extends SecretOptions, ChaosCommandOptions {
  readonly url?: URL;
  readonly exact?: boolean;
  readonly handlers?: string;
  readonly inbox?: string;
  readonly timeout?: number;
  readonly signatureHeader?: string;
}

/** `replay <what…>`: sends fixtures or entries again. */
export function registerReplay(program: Command, context: CliContext): void {
  const command = program
    .command("replay")
    .description(
      "send saved deliveries, envelopes or inbox entries again, in the order given (folders in name order)",
    )
    .argument("<what...>", "files, folders of .json files, event ids or entry numbers")
    .option("--exact", "send the same bytes and signature (default: set the timestamp to now and sign again)")
    .option(
      "--url <url>",
      "endpoint, or a local port (default: http://127.0.0.1:4400/webhooks)",
      readEndpoint,
    )
    .option(
      "--handlers <path>",
      "run the handlers in this file or folder, in this process, instead of sending",
    )
    .option("--inbox <file>", "inbox to read entries from (default: .hookporter/inbox.db)")
    .option(
      "--timeout <duration>",
      "how long to wait for each response or handler (default: 30s)",
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
        exact: { with: ["stale", "future"], why: "--exact sends the saved bytes, including their timestamp" },
        handlers: { with: CHAOS_FLAGS, why: "with --handlers nothing is sent" },
      });
      const { handlers, ...others } = options;
      if (handlers === undefined || !isTyped(command, "url")) return runReplay(what, options, context);
      if (!isTyped(command, "handlers")) return runReplay(what, others, context);
      throw new HookporterError(
        "usage",
        "expected --url or --handlers, got both: with --handlers nothing is sent",
      );
    });
}

async function runReplay(
  what: readonly string[],
  options: ReplayOptions,
  context: CliContext,
): Promise<void> {
  const { gatherFixtures } = await import("../gather-fixtures.ts");
  const fixtures = await gatherFixtures(what, options, context);
  if (options.handlers !== undefined) {
    const { runInProcess } = await import("../run-in-process.ts");
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
    import("../send-with-chaos.ts"),
  ]);
  const header = options.signatureHeader ?? SIGNATURE_HEADER;
  const target = options.url ?? readEndpoint("4400");
  const now = datedTo(context.clock(), options);
  const make = await settleSending();
  const sendings = fixtures.map(({ name, fixture }) => make(fixture, name));
  await sendWithChaos(sendings, options, { target, header, timeout: options.timeout }, context);

  async function settleSending(): Promise<(fixture: Fixture, name: string) => Sendable> {
    // With --exact, an item that cannot be sent must fail before anything is sent; otherwise all can be signed.
    if (options.exact === true) return (fixture, label) => ({ label, ...exactSending(fixture, label) });
    if (options.noSignature === true)
      return (fixture, label) => lazySending(label, () => unsignedSending(fixture, now));
    const key = await findKey(options, context);
    return (fixture, label) => lazySending(label, () => freshSending(fixture, { key, header, now }));
  }
}
