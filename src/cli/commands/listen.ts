import { DEFAULT_PATH, DEFAULT_PORT } from "../../http/default-endpoint.ts";
import { DEFAULT_INSPECTOR_PORT } from "../../inspector/default-port.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addForwardRequestOptions } from "../handlers/request-options.ts";
import { readFieldValue, readForward, readGiveUp, readOrderPath } from "../handlers/values.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";
import { addServiceOptions } from "../service/service-options.ts";
import {
  readChoice,
  readCommand,
  readCount,
  readInspectHost,
  readKind,
  readKinds,
  readPath,
  readPort,
  readStream,
  readTimeout,
} from "../settings/values.ts";
import { addTunnelOptions } from "../tunnel/tunnel-options.ts";

const EXAMPLES = `
Examples:
  hookporter listen --handlers handlers/          run handlers as they change
  hookporter listen --forward-to 3000             pass events on to port 3000
  hookporter listen --tunnel ngrok --subscribe    receive from the service
  hookporter listen --wait-for payment.received --timeout 60s`;

export function registerListen(program: CliCommand, context: CliContext): void {
  const command = program
    .command("listen")
    .description(
      "start a local receiver that verifies, keeps, shows, handles and forwards deliveries",
    );
  addReceiving(command);
  addHandling(command);
  addForwarding(command);
  addTunnelOptions(command.optionsGroup("Tunnel:"));
  addInspecting(command);
  addService(command);
  command
    .optionsGroup("Goals:")
    .common("--count <n>", "stop after n new events", readCount)
    .common("--wait-for <kind>", "stop after a new event of this kind or family", readKind)
    .common(
      "--timeout <duration>",
      "exit with code 6 if the goal is not reached in this time",
      readTimeout,
    )
    .optionsGroup("Secrets:");
  addSecretOptions(command)
    .optionsGroup("Output:") // program.ts adds the common options to it
    .helpOption("-h, --help", "display help for command")
    .common("--save-dir <dir>", "save each authentic delivery to this folder, byte for byte")
    .option("--ready-file <file>", "write this file when ready, and remove it at the end")
    .option(
      "--health-port <n>",
      "serve /healthz, /readyz and /metrics on this port of 127.0.0.1, or 0 for any free port",
      readPort,
    )
    .addHelpText("after", EXAMPLES)
    .action(async (options) =>
      (await import("../listen/listen.ts")).listen(options, command, context),
    );
}

function addReceiving(command: CliCommand): void {
  command
    .optionsGroup("Receive:")
    .common(
      "--port <n>",
      `port on 127.0.0.1, or 0 for any free port (default: ${DEFAULT_PORT})`,
      readPort,
    )
    .option("--path <path>", `path of the endpoint (default: ${DEFAULT_PATH})`, readPath)
    .common(
      "--inbox <inbox>",
      "inbox file, or postgres:// URL; memory: keeps nothing (default: .hookporter/inbox.db)",
    )
    .option(
      "--role <role>",
      "receive deliveries (receive), run handlers (run), or both (default: both)",
      readChoice(["both", "receive", "run"]),
    )
    .common(
      "--events <kinds>",
      "show, save, handle and forward only these kinds or families; all events are kept",
      readKinds,
    )
    .signatureHeader("option");
}

function addHandling(command: CliCommand): void {
  command
    .optionsGroup("Handle:")
    .common(
      "--handlers <path>",
      "TypeScript or JavaScript file or folder with the handlers to run; reloaded on change",
    )
    .option(
      "--exec <command>",
      "program and arguments to run for each event, without a shell; gets the body on standard input, and is retried if it does not exit with 0",
      readCommand,
    )
    .setting(
      "--order-by <path>",
      "run events with the same value at this path one after another, such as data.id",
      readOrderPath,
    )
    .setting(
      "--dead-letters <choice>",
      "after a dead letter, run later events with the same order key (skip), or hold them back (block) (default: skip)",
      readChoice(["skip", "block"]),
    )
    .option(
      "--on-dead <command>",
      "program and arguments to run when there are dead letters, without a shell; for the first at once, then at most once a minute",
      readCommand,
    )
    .setting(
      "--shapes <file>",
      "report when events begin to differ from this shape file of `types` (default: src/schemas.shape.json if there is one)",
    )
    .option(
      "--catch-up",
      "at the start, run received entries that now have a handler or target (default: with --forward-to)",
    )
    .option("--no-catch-up", "leave received entries as they are");
}

function addForwarding(command: CliCommand): void {
  command
    .optionsGroup("Forward:")
    .common(
      "--forward-to <target>",
      "forward each event to this URL or local port until it answers 2xx; for some kinds only, put a kind or family before it: payment.*=3001; may be repeated",
      readForward,
    )
    .setting(
      "--forward-timeout <duration>",
      "how long a target may take to answer (default: 30s, with --sync 10s)",
      readTimeout,
    )
    .setting(
      "--give-up <limits>",
      "give up on an event after some attempts at a target, some time, or a 4xx answer: attempts=20,time=2h,on=4xx (default: never)",
      readGiveUp,
    )
    .setting(
      "--forward-where <field=value>",
      "forward only events with this value at a path, such as data.status=paid; others are kept as received",
      readFieldValue,
    )
    .setting(
      "--max-forwards <n>",
      "forward at most n events; later ones are kept as received, and the next listen forwards them (default: no limit)",
      readCount,
    )
    .option(
      "--sync",
      "forward while the sender waits, and return the target's response to the sender",
    );
  addForwardRequestOptions(command);
}

function addInspecting(command: CliCommand): void {
  command
    .optionsGroup("Inspect:")
    .option(
      "--inspect-port <n>",
      `port of the inspector page on 127.0.0.1, or 0 for any free port (default: ${DEFAULT_INSPECTOR_PORT}, or a free one)`,
      readPort,
    )
    .setting(
      "--inspect-host <host>",
      "address at which you open the inspector page if its port is forwarded, such as localhost:9000 or devbox.test; may be repeated",
      readInspectHost,
    )
    .option("--inspect", "open the inspector, even if a setting turns it off")
    .option("--no-inspect", "do not open the inspector");
}

function addService(command: CliCommand): void {
  command
    .optionsGroup("Service:")
    .common(
      "--subscribe",
      "create a subscription, so that the service delivers here, unless the same one is remembered",
    )
    .option(
      "--stream <url>",
      "also take unsigned deliveries from this WebSocket, or from the sandbox on this port (experimental)",
      readStream,
    );
  addServiceOptions(command);
}
