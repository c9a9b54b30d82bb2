import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { HookporterError } from "../../base/errors.ts";
import { hasPassword } from "../../inbox/postgres/postgres-url.ts";
import { usageError } from "../input-errors.ts";
import type { Io } from "../io.ts";
import { CONFIG_FILES } from "./config-source.ts";

const FIX =
  "set HOOKPORTER_INBOX to the URL, or leave the password out and set PGPASSWORD or write it to ~/.pgpass";

/**
 * Refuses the URL of a database with a password as an argument, which every user of the machine can
 * read, and in the configuration file, which is shared with the project. A module may take one from
 * elsewhere, such as a variable. Throws `usage`, `config_invalid`.
 */
export function refusePasswordUrls(command: Command, { cwd }: Pick<Io, "cwd">): void {
  for (const [name, value] of Object.entries(command.opts())) {
    if (typeof value !== "string" || !hasPassword(value)) continue;
    const source = command.getOptionValueSource(name);
    if (source === "cli") throw inArguments(`--${name}`);
    if (source === "config" && isWritten(cwd, value))
      throw new HookporterError(
        "config_invalid",
        `expected a URL without a password in the configuration file (${name}), got one with a password: that file is shared; ${FIX}`,
      );
  }
  if (command.args.some(hasPassword)) throw inArguments("the arguments");
}

/** Whether the configuration file itself holds a URL, rather than the name of a variable. */
function isWritten(cwd: string, url: string): boolean {
  const file = CONFIG_FILES.find((name) => existsSync(join(cwd, name)));
  if (file === undefined) return true;
  // as JSON may write a slash
  const text = readFileSync(join(cwd, file), "utf8").replaceAll("\\/", "/");
  const password = /:([^:@/]+)@/.exec(url)?.[0];
  return text.includes(url) || (password !== undefined && text.includes(password));
}

function inArguments(where: string): HookporterError {
  const why = "every user of this machine can read arguments";
  return usageError(
    `expected a URL without a password in ${where}, got one with a password: ${why}; ${FIX}`,
  );
}
