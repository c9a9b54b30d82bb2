import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { type McpOptions, readAllowed } from "../mcp/options.ts";

export function registerMcp(program: CliCommand, context: CliContext): void {
  program
    .command("mcp")
    .description("serve tools for coding agents, over MCP")
    .option(
      "--allow <what>",
      "also allow many (retry or send more than one event in a call) and hosts (send to other machines), comma-separated",
      readAllowed,
    )
    .example("npx hookporter mcp --allow many")
    .action(async (options: McpOptions) => (await import("../mcp/serve.ts")).serveMcp(options, context));
}
