import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import type { ListenOptions } from "../listen.ts";
import { addSecretOptions } from "../secret.ts";
import {
  readCount,
  readDuration,
  readHeaderName,
  readKind,
  readKinds,
  readPath,
  readPort,
  readTarget,
} from "../values.ts";

/** `listen`: the local receiver. */
export function registerListen(program: Command, context: CliContext): void {
  const command = program
    .command("listen")
    .description("start a local receiver: verify, keep, show, handle and forward deliveries")
    .option("--port <n>", "port on 127.0.0.1; 0 for a free one (default: 4400)", readPort)
    .option("--path <path>", "path of the endpoint (default: /webhooks)", readPath)
    .option("--inbox <file>", "inbox file (default: .hookporter/inbox.db)")
    .option(
      "--handlers <path>",
      "handlers to run: a TypeScript or JavaScript file or folder, reloaded on change",
    )
    .option(
      "--forward-to <url>",
      "forward each event to this URL, or port on this machine, until it answers 2xx",
      readTarget,
    )
    .option(
      "--events <kinds>",
      "show, save, handle and forward only these kinds or families; all are kept",
      readKinds,
    )
    .option("--save-dir <dir>", "save each authentic delivery to this folder, byte for byte")
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
  addSecretOptions(command)
    .addHelpText("after", "\nExample:\n  hookporter listen --handlers handlers/ --save-dir fixtures/")
    .action(async (options: ListenOptions) => (await import("../listen.ts")).listen(options, context));
}
