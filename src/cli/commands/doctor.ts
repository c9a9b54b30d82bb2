import { DEFAULT_PORT } from "../../http/default-endpoint.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { KILLS, LISTENS_SETTINGS } from "../doctor/doctor-options.ts";
import { readForward } from "../handlers/values.ts";
import { addSecretVariables } from "../secrets/secret-options.ts";
import { UNLESS_RUNNING } from "../settings/default-values.ts";
import { readKills, readPort, readPublicUrl } from "../settings/values.ts";
import { addTunnelOption } from "../tunnel/tunnel-options.ts";

const EXAMPLES = `
Examples:
  hookporter doctor                    check this project, or what listen uses
  hookporter doctor --listen           check what listen would use here
  hookporter doctor --url https://hooks.example.com/webhooks
  hookporter doctor --drill            kill a receiver 20 times, count losses
  hookporter doctor --json | jq 'select(.status == "fail")'`;

export function registerDoctor(program: CliCommand, context: CliContext): void {
  const command = program
    .command("doctor")
    .description("say what is wrong with this project, and how to fix it; changes nothing")
    .optionsGroup("Receive:")
    .common("--listen", "check what listen would use, not the project's server")
    .common(
      "--port <n>",
      `port of the endpoint (default: ${UNLESS_RUNNING} ${DEFAULT_PORT})`,
      readPort,
    )
    .common(
      "--inbox <inbox>",
      "inbox file, or postgres:// URL; memory: keeps nothing (default: the project's, else .hookporter/inbox.db)",
    )
    .optionsGroup("Handle:")
    .common(
      "--handlers <path>",
      "TypeScript or JavaScript file or folder with the handlers; they are loaded, but not run",
    )
    .common(
      "--forward-to <target>",
      "URL or local port that events are forwarded to; for some kinds only, put a kind or family before it: payment.*=3001; may be repeated",
      readForward,
    );
  addTunnelOption(command, "check what this tunnel needs, without opening it").optionsGroup(
    "Report:",
  );
  addSecretVariables(addReports(command))
    .settingsOf(
      program.commands.find((command) => command.name() === "listen") ?? program,
      LISTENS_SETTINGS,
    )
    .optionsGroup("Output:") // program.ts adds the common options to it
    .helpOption("-h, --help", "display help for command")
    .addHelpText("after", EXAMPLES)
    .action(async (options) =>
      (await import("../doctor/doctor.ts")).doctor(options, command, context),
    );
}

/** What it does instead of looking at the setup. */
function addReports(command: CliCommand): CliCommand {
  return command
    .common("--report", "instead, print one page of facts for an incident, without payloads")
    .option(
      "--explain [command]",
      'instead, print the settings of a command, such as "events list", and where each is from (default: doctor\'s)',
    )
    .optionsGroup("From outside:")
    .common(
      "--url <url>",
      "instead, check a deployed receiver from outside; nothing is kept there; a setting for --url is ignored",
      readPublicUrl,
    )
    .signatureHeader()
    .optionsGroup("Drill:")
    .common(
      "--drill",
      "instead, kill and restart a receiver under load, on a new inbox beside yours, and count what is lost",
    )
    .setting("--kills <n>", `with --drill: number of kills (default: ${KILLS})`, readKills)
    .option("--yes", "with --drill --handlers: run your handlers, with made-up events")
    .optionsGroup("Secrets:");
}
