import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/**
 * Sets the variables of an env file, if there is one; variables already set in the environment override it. Unlike Node's
 * own `process.loadEnvFile`, it accepts a byte order mark, which editors on Windows add.
 */
export function loadEnvFile(path: string): void {
  if (!existsSync(path)) return;
  const variables = parseEnv(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}
