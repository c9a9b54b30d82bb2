import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NamedSecret } from "../../signature/diagnose/keyings.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { CliContext } from "../context.ts";
import { STATE_FOLDER } from "../files/state-folder.ts";
import type { SecretOptions } from "./options.ts";
import { type FoundSecrets, readEnvFile } from "./secret.ts";

/**
 * Secrets that are set here but not in use, for a diagnosis: variables in the environment and the env file with SECRET in
 * their name, and the folder's development secret. Only their names are ever shown.
 */
export function otherSecrets(
  { io }: CliContext,
  options: SecretOptions,
  used: FoundSecrets,
): readonly NamedSecret[] {
  const file = readEnvFile(io.cwd, options.envFile);
  const fromFile = Object.entries(file).map(([name, value]) => [`${name} in the env file`, value] as const);
  const fromEnv = Object.entries(io.env).map(
    ([name, value]) => [`${name} in the environment`, value] as const,
  );
  const variables = [...fromFile, ...fromEnv].filter(([name]) => /^\w*SECRET/i.test(name));
  const development = [`${STATE_FOLDER}/secret`, readDevelopmentSecret(io.cwd)] as const;
  const seen = new Set(used.values.map((value) => value.trimEnd()));
  return [...variables, development].flatMap(([name, value]) => {
    if (value === undefined || value.trim() === "" || seen.has(value.trimEnd())) return [];
    seen.add(value.trimEnd());
    return readSecrets(value).map((secret) => ({ name, secret }));
  });
}

/** `undefined` if there is no such file, or it is not readable. */
function readDevelopmentSecret(cwd: string): string | undefined {
  const path = join(cwd, STATE_FOLDER, "secret");
  try {
    return lstatSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
