import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tryOr } from "../../base/try-or.ts";
import type { NamedSecret } from "../../signature/diagnose/keyings.ts";
import type { SecretValue } from "../../signature/secret-bytes.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { CliContext } from "../context.ts";
import { STATE_FOLDER } from "../files/state-folder.ts";
import { textOfEnvFile } from "../project/env-text.ts";
import { DEFAULT_ENCODING, decodeSecret, type SecretEncoding } from "./encoding.ts";
import {
  DEVELOPMENT_SECRET,
  envFileBytes,
  type FoundSecrets,
  readEnvFile,
  secretNames,
} from "./secret.ts";
import type { SecretOptions } from "./secret-options.ts";
import { writtenSecrets } from "./written-secrets.ts";

/** Variables that say where a secret is and how it is encoded, but contain none. */
const SETTING = /^HOOKPORTER_SECRET_(?:ENV|STDIN|ENCODING)\b/;

/** Of this service alone: the keys of others are nobody's signing secret. */
const API_KEY = /^HOOKPORTER_API_KEY\b/;

/**
 * Secrets that are set here but not in use, for a diagnosis: variables in the environment and the
 * env file with SECRET in their name, the folder's development secret, and the API key, which is
 * easily taken for the secret. Only their names are ever shown.
 */
export function otherSecrets(
  { io }: CliContext,
  options: SecretOptions,
  used: FoundSecrets,
): readonly NamedSecret[] {
  const file = readEnvFile(io.cwd, options.envFile);
  const fromFile = Object.entries(file).map(
    ([name, value]) => [`${name} in the env file`, value] as const,
  );
  const fromEnv = Object.entries(io.env).map(
    ([name, value]) => [`${name} in the environment`, value] as const,
  );
  const variables = [...fromFile, ...fromEnv].filter(
    ([name]) => /^\w*SECRET/i.test(name) && !SETTING.test(name),
  );
  const apiKeys = [...fromFile, ...fromEnv].filter(([name]) => API_KEY.test(name));
  const development = [
    `${STATE_FOLDER}/${DEVELOPMENT_SECRET}`,
    readDevelopmentSecret(io.cwd),
  ] as const;
  const seen = new Set(used.texts.map((text) => text?.trimEnd()));
  const names = options.secretStdin === true ? [] : (options.secretEnv ?? secretNames(options, io));
  const written = writtenSecrets(
    textOfEnvFile(envFileBytes(io.cwd, options.envFile)),
    names,
    used.texts.flatMap((text) => text ?? []),
    { ...file, ...io.env },
  );
  const others = [...variables, development, ...apiKeys].flatMap(([name, text]) => {
    if (text === undefined || text.trim() === "" || seen.has(text.trimEnd())) return [];
    seen.add(text.trimEnd());
    const values = [text, ...decoded(text, options.secretEncoding ?? DEFAULT_ENCODING)];
    return values.flatMap((value) => readSecrets(value).map((secret) => ({ name, secret })));
  });
  return [...others, ...written];
}

/** Bytes besides the text itself; none if the text is not in this encoding. */
function decoded(text: string, encoding: SecretEncoding): readonly SecretValue[] {
  if (encoding === "utf8") return [];
  return tryOr(() => {
    const bytes = decodeSecret(text, encoding, "");
    return bytes.length === 0 ? [] : [bytes];
  }, []);
}

/** `undefined` if there is no such file, or it is not readable. */
function readDevelopmentSecret(cwd: string): string | undefined {
  const path = join(cwd, STATE_FOLDER, DEVELOPMENT_SECRET);
  return tryOr(
    () => (lstatSync(path).isFile() ? readFileSync(path, "utf8") : undefined),
    undefined,
  );
}
