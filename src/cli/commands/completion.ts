import { Argument } from "commander";
import type { CliCommand } from "../cli-command.ts";
import { SHELLS } from "../completion/completion-options.ts";
import type { CliContext } from "../context.ts";

export function registerCompletion(program: CliCommand, context: CliContext): void {
  program
    .command("completion")
    .description("print a script that lets a shell complete commands, flags and their values")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "after",
      "\nExamples:\n  hookporter completion bash > ~/.hookporter-completion.bash\n  hookporter completion fish > ~/.config/fish/completions/hookporter.fish",
    )
    .action(async (shell) =>
      (await import("../completion/scripts.ts")).printCompletion(shell, context),
    );
}
