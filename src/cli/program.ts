import type { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { HookporterError } from "../base/errors.ts";
import { suggestInbox } from "../base/package/own-command.ts";
import { CliCommand, helpOptions } from "./cli-command.ts";
import { registerCheck } from "./commands/check.ts";
import { registerCompletion } from "./commands/completion.ts";
import { registerDoctor } from "./commands/doctor.ts";
import { registerEvents } from "./commands/events.ts";
import { registerFixtures } from "./commands/fixtures.ts";
import { registerInbox } from "./commands/inbox.ts";
import { registerInit } from "./commands/init.ts";
import { registerListen } from "./commands/listen.ts";
import { registerMcp } from "./commands/mcp.ts";
import { registerReplay } from "./commands/replay.ts";
import { registerSandbox } from "./commands/sandbox.ts";
import { registerService } from "./commands/service.ts";
import { registerSign } from "./commands/sign.ts";
import { registerTrigger } from "./commands/trigger.ts";
import { registerTrust } from "./commands/trust.ts";
import { registerTypes } from "./commands/types.ts";
import { registerVerify } from "./commands/verify.ts";
import type { CliContext } from "./context.ts";
import { inboxToSuggest, refuseTwoInboxes } from "./inbox/which-inbox.ts";
import { createOutput } from "./output.ts";
import { leaves } from "./settings/command-tree.ts";
import { applySettings } from "./settings/config.ts";
import { refusePasswordUrls } from "./settings/password-urls.ts";
import { requireConsent } from "./trust/require-consent.ts";

/** In the order of the help. */
const COMMANDS = [
  registerInit,
  registerListen,
  registerTrigger,
  registerReplay,
  registerSign,
  registerVerify,
  registerCheck,
  registerEvents,
  registerInbox,
  registerTypes,
  registerFixtures,
  registerDoctor,
  registerTrust,
  registerMcp,
  registerSandbox,
  registerService,
  registerCompletion,
];

/**
 * Creates the whole program. Each command registers itself and imports its work only when it runs.
 */
export function createProgram(context: CliContext): Command {
  const program = new CliCommand("hookporter");
  program
    .description(
      "Receive, verify, keep, replay and test signed webhooks of a property-management service.",
    )
    .version(packageJson.version, "--version", "print the version")
    .option("--no-color", "do not use colours")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.io.stdout.write(text),
      writeErr: (text) => context.io.stderr.write(text),
      outputError: () => {}, // main.ts reports errors
    })
    .configureHelp(helpOptions(context.argv))
    .showSuggestionAfterError();
  for (const register of COMMANDS) register(program, context);
  for (const command of leaves(program)) addCommonOptions(command as CliCommand);
  program.hook("preAction", async (_, command) => {
    if (context.io.cwd === "") throw new HookporterError("folder_unusable", NO_FOLDER);
    // before applySettings, so that its errors print a stack too
    context.debug = command.opts().debug === true;
    const refused = await applySettings(command, context);
    if (refused.length > 0) requireConsent(refused, command, context.io);
    refusePasswordUrls(command, context.io);
    const { json = false, color, debug, quiet = false } = command.optsWithGlobals<CommonOptions>();
    context.debug = debug === true;
    context.output = createOutput(context.io, { json, color, clock: context.clock, quiet });
    await refuseTwoInboxes(command, context);
    suggestInbox(inboxToSuggest(command, context));
  });
  return program;
}

const NO_FOLDER =
  "expected a working folder, got one that was removed or cannot be read: change to another one (cd)";

interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly debug?: boolean;
}

function addCommonOptions(command: CliCommand): void {
  command
    .common("--json", "print NDJSON records to standard output")
    .option("--quiet", "print no messages, only data and errors")
    .option("--debug", "print the stack trace of an error");
}
