import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { DEFAULT_DIRECTORY, type InitOptions } from "../init/options.ts";

/** `init [dir]`: a new receiver project, ready to run, with a secret of its own. */
export function registerInit(program: Command, context: CliContext): void {
  program
    .command("init")
    .description("make a new receiver project")
    .argument("[dir]", `folder to make it in; new, or empty but for .git (default: ${DEFAULT_DIRECTORY})`)
    .option("--yes", "ask nothing")
    .option("--template <name>", "template to start from (default: express)")
    .option("--name <name>", "name of the project in package.json (default: made of the folder's)")
    .addHelpText(
      "after",
      "\nExample:\n  hookporter init my-receiver && cd my-receiver && npm install && npm test",
    )
    .action(async (directory: string | undefined, options: InitOptions) =>
      (await import("../init/init.ts")).runInit(directory, options, context),
    );
}
