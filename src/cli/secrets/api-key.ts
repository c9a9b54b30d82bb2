import { ConfigurationError } from "../../base/errors.ts";
import { readToken } from "../../service/client/credential.ts";
import type { CliContext } from "../context.ts";
import type { ServiceOptions } from "../service/service-options.ts";
import { shownVariable } from "../shown-value.ts";
import { readEnvFile } from "./secret.ts";

const KEY_VARIABLE = "HOOKPORTER_API_KEY";

export type FoundCredential = { readonly apiKey: string } | { readonly accessToken: () => string };

/**
 * Finds the API key in the environment, else in the env file; never on the command line. Throws
 * `credential_missing`.
 */
export function findApiKey(
  { apiKeyEnv = KEY_VARIABLE, envFile }: Pick<ServiceOptions, "apiKeyEnv" | "envFile">,
  context: Pick<CliContext, "io">,
): string {
  return findVariable("the API key", apiKeyEnv, envFile, context);
}

/**
 * Finds the access token if its variable is named, else the API key. Both are read once: the
 * environment of a process does not change. Throws `credential_missing`; `credential_invalid` for a
 * token that cannot be sent.
 */
export function findCredential(
  options: Omit<ServiceOptions, "baseUrl">,
  context: Pick<CliContext, "io">,
): FoundCredential {
  const { accessTokenEnv, envFile, live } = options;
  if (accessTokenEnv === undefined) return { apiKey: findApiKey(options, context) };
  const found = findVariable("the access token", accessTokenEnv, envFile, context);
  // checked now, not when the first request is sent
  const token = readToken(found.trim(), live === true);
  return { accessToken: () => token };
}

/** Finds a variable in the environment, else in the env file. Throws `credential_missing`. */
export function findVariable(
  what: string,
  name: string,
  envFile: string | undefined,
  { io }: Pick<CliContext, "io">,
): string {
  const value = io.env[name] || readEnvFile(io.cwd, envFile)[name];
  if (value) return value;
  throw new ConfigurationError(
    "credential_missing",
    `expected ${shownVariable(name)} to contain ${what}, got none: export it, or write it to ${envFile ?? ".env"}`,
  );
}
