import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { PERMISSIONS, type Permission } from "../mcp/mcp-options.ts";
import { commaList, readChoice } from "../settings/values.ts";

const NAMES = Object.keys(PERMISSIONS) as readonly Permission[];
const readAllowed = commaList(readChoice(NAMES), { words: NAMES });

export function registerMcp(program: CliCommand, context: CliContext): void {
  const allowed = NAMES.map((name) => `${name} (${PERMISSIONS[name]})`).join(" and ");
  program
    .command("mcp")
    .description("serve tools for coding agents, over MCP")
    .option("--allow <what>", `also allow ${allowed}, comma-separated`, readAllowed)
    .example("npx hookporter mcp --allow many")
    .action(async (options) => (await import("../mcp/serve.ts")).serveMcp(options, context));
}
