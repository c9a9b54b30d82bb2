import type { Command } from "commander";
import { HookporterError } from "../../errors.ts";
import { hasPassword } from "../../inbox/postgres/options.ts";

const FIX =
  "set HOOKPORTER_INBOX to the URL, or leave the password out and set PGPASSWORD or write it to ~/.pgpass";

/**
 * Refuses the URL of a database with a password as an argument, which every user of the machine can read, and in the
 * configuration file, which is shared with the project.
 *
 * @throws HookporterError `usage`, `config_invalid`
 */
export function refusePasswordUrls(command: Command): void {
  for (const [name, value] of Object.entries(command.opts())) {
    if (typeof value !== "string" || !hasPassword(value)) continue;
    const source = command.getOptionValueSource(name);
    if (source === "cli") throw inArguments(`--${name}`);
    if (source === "config") {
      throw new HookporterError(
        "config_invalid",
        `expected a URL without a password in the configuration file (${name}), got one with a password: that file is shared; ${FIX}`,
      );
    }
  }
  if (command.args.some(hasPassword)) throw inArguments("the arguments");
}

function inArguments(where: string): HookporterError {
  const why = "every user of this machine can read arguments";
  return new HookporterError(
    "usage",
    `expected a URL without a password in ${where}, got one with a password: ${why}; ${FIX}`,
  );
}
