import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import { HookporterError } from "../errors.ts";
import type { NgrokSettings } from "../tunnel/ngrok.ts";
import type { CliContext } from "./context.ts";
import type { Io } from "./io.ts";
import { authtokenOf, ngrokConfigPath } from "./ngrok-config.ts";
import { ngrokIngress } from "./ngrok-ingress.ts";
import { readOwnFile } from "./own-file.ts";
import { readEnvFile } from "./secret.ts";
import { STATE_FOLDER } from "./state-folder.ts";
import { readDomain } from "./values.ts";

/** What of the options it takes. */
interface NgrokOptions {
  readonly domain?: string;
  readonly envFile?: string;
}

/** Where an authtoken may be kept for one project. */
export const TOKEN_FILE = join(STATE_FOLDER, "ngrok-authtoken");

/**
 * What the ngrok provider needs, from the flag, the environment and files.
 *
 * @throws HookporterError `usage` for a domain that is none; ConfigurationError `secret_unsafe`
 */
export function ngrokSettings({ domain, envFile }: NgrokOptions, { io }: CliContext): NgrokSettings {
  const authtoken = findAuthtoken(io, envFile);
  const wanted = domain ?? domainOf(io);
  return {
    ...(authtoken !== undefined && { authtoken }),
    ...(wanted !== undefined && { domain: wanted }),
    ...ngrokIngress(io),
  };
}

/** The first there is: environment, env file, the project's own file, ngrok's. No flag: others could read it there. */
function findAuthtoken({ env, cwd }: Io, envFile: string | undefined): string | undefined {
  const variable = env.NGROK_AUTHTOKEN || readEnvFile(cwd, envFile).NGROK_AUTHTOKEN;
  if (variable) return variable.trim();
  const own = readOwnFile(join(cwd, TOKEN_FILE));
  if (own) return own;
  const path = ngrokConfigPath(env);
  try {
    return path === undefined ? undefined : authtokenOf(readFileSync(path, "utf8"));
  } catch {
    return undefined; // ngrok was never set up here
  }
}

function domainOf({ env: { NGROK_DOMAIN: domain } }: Io): string | undefined {
  if (!domain) return undefined;
  try {
    return readDomain(domain);
  } catch (thrown) {
    if (thrown instanceof InvalidArgumentError) {
      throw new HookporterError("usage", `NGROK_DOMAIN: ${thrown.message} It is ${JSON.stringify(domain)}.`);
    }
    throw thrown;
  }
}
