import type { Command } from "commander";
import { DEFAULT_PATH, DEFAULT_PORT } from "../../default-endpoint.ts";
import { DEFAULT_INSPECTOR_PORT } from "../../inspector/default-port.ts";
import type { CliContext } from "../context.ts";
import { readForward, readOrderPath } from "../handlers/values.ts";
import type { ListenOptions } from "../listen/options.ts";
import { addSecretOptions } from "../secrets/options.ts";
import { addServiceOptions } from "../service/options.ts";
import {
  readChoice,
  readCount,
  readDuration,
  readHeaderName,
  readKind,
  readKinds,
  readPath,
  readPort,
  readStream,
  readTimeout,
} from "../settings/values.ts";
import { addTunnelOptions } from "../tunnel/options.ts";

/** `listen`: the local receiver. */
export function registerListen(program: Command, context: CliContext): void {
  const command = program
    .command("listen")
    .description("start a local receiver: verify, keep, show, handle and forward deliveries")
    .option("--port <n>", `port on 127.0.0.1; 0 for a free one (default: ${DEFAULT_PORT})`, readPort)
    .option("--path <path>", `path of the endpoint (default: ${DEFAULT_PATH})`, readPath)
    .option("--inbox <file>", "inbox file (default: .hookporter/inbox.db)")
    .option(
      "--handlers <path>",
      "handlers to run: a TypeScript or JavaScript file or folder, reloaded on change",
    )
    .option(
      "--forward-to <target>",
      "forward each event to this URL, or port on this machine, until it answers 2xx; may be repeated, and have a kind or family before it: payment.*=3001",
      readForward,
    )
    .option(
      "--forward-timeout <duration>",
      "how long a target may take to answer (default: 30s, with --sync 10s)",
      readTimeout,
    )
    .option("--sync", "forward while the sender waits, and pass the target's answer on to it")
    .option(
      "--order-by <path>",
      "run events with the same value there one after another, such as data.id",
      readOrderPath,
    )
    .option(
      "--dead-letters <choice>",
      "skip lets the events behind a dead letter in an order run, block holds them back (default: skip)",
      readChoice(["skip", "block"]),
    )
    .option(
      "--catch-up",
      "at the start, run the unhandled entries that have a handler or target now (default: with --forward-to)",
    )
    .option("--no-catch-up", "leave unhandled entries as they are")
    .option(
      "--events <kinds>",
      "show, save, handle and forward only these kinds or families; all are kept",
      readKinds,
    )
    .option(
      "--inspect-port <n>",
      `port of the inspector's page on 127.0.0.1; 0 for a free one (default: ${DEFAULT_INSPECTOR_PORT}, or a free one)`,
      readPort,
    )
    .option("--inspect", "open the inspector, even where a setting leaves it out")
    .option("--no-inspect", "open no inspector")
    .option("--save-dir <dir>", "save each authentic delivery to this folder, byte for byte")
    .option("--ready-file <file>", "write this file when ready, and remove it at the end")
    .option(
      "--health-port <n>",
      "answer /healthz and /readyz on this port of 127.0.0.1; 0 for a free one",
      readPort,
    )
    .option("--count <n>", "stop after so many new events", readCount)
    .option("--once", "stop after one new event")
    .option("--wait-for <kind>", "stop after a new event of this kind or family", readKind)
    .option(
      "--timeout <duration>",
      "give up with exit code 6 when the goal is not reached in this time",
      readDuration,
    )
    .option(
      "--signature-header <name>",
      "name of the signature header (default: x-service-signature)",
      readHeaderName,
    );
  command.option(
    "--subscribe",
    "let the service deliver here: create a subscription, unless the same is remembered",
  );
  command.option(
    "--stream <url>",
    "take deliveries, not signed, from a WebSocket too, or from the sandbox on this port (experimental)",
    readStream,
  );
  addSecretOptions(addServiceOptions(addTunnelOptions(command)))
    .addHelpText("after", "\nExample:\n  hookporter listen --handlers handlers/ --save-dir fixtures/")
    .action(async (options: ListenOptions) =>
      (await import("../listen/listen.ts")).listen(options, command, context),
    );
}
