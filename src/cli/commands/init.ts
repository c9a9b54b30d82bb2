import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import type { ProjectInbox } from "../scaffold/templates.ts";
import { DEFAULT_DIRECTORY } from "../settings/default-values.ts";
import { readChoice } from "../settings/values.ts";

export function registerInit(program: CliCommand, context: CliContext): void {
  program
    .command("init")
    .description("create a receiver project, or add one to an app")
    .argument(
      "[dir]",
      `folder to create it in: new, or empty except for .git (default: ${DEFAULT_DIRECTORY})`,
    )
    .option("--into <dir>", "add a receiver to the app in this folder instead, such as .")
    .option("--yes", "ask no questions; with --into, write the changes")
    .option(
      "--template <name>",
      "template to use: express, fastify, hono, lambda, nextjs (default: express)",
    )
    .option(
      "--inbox <kind>",
      "where to keep the events: file or postgres (default: file, but postgres for lambda)",
      readChoice<ProjectInbox>(["file", "postgres"]),
    )
    .option("--name <name>", "project name in package.json (default: from the folder's name)")
    .example("hookporter init my-receiver && cd my-receiver && npm install && npm test")
    .action(async (directory, options, command) =>
      (await import("../init/init.ts")).runInit(directory, options, command, context),
    );
}
