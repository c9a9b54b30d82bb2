import { ConfigurationError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { shownVariable } from "../shown-value.ts";
import { readEnvFile } from "./secret.ts";

const KEY_VARIABLE = "HOOKPORTER_API_KEY";

/** Where to look for the API key. */
export interface ApiKeyOptions {
  readonly apiKeyEnv?: string;
  readonly envFile?: string;
}

/**
 * Finds the API key in the environment, else in the env file; never on the command line.
 *
 * @throws ConfigurationError `credential_missing`
 */
export function findApiKey({ apiKeyEnv, envFile }: ApiKeyOptions, { io }: Pick<CliContext, "io">): string {
  const name = apiKeyEnv ?? KEY_VARIABLE;
  const key = io.env[name] || readEnvFile(io.cwd, envFile)[name];
  if (key) return key;
  throw new ConfigurationError(
    "credential_missing",
    `expected ${shownVariable(name)} to contain the API key, got none: export it, or write it to ${envFile ?? ".env"}`,
  );
}
