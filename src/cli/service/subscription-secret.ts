import { ConfigurationError, HookporterError } from "../../errors.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { CliContext } from "../context.ts";
import { setInEnvFile } from "../files/env-file.ts";
import { DEFAULT_ENCODING, decodeSecret, generateSecretText } from "../secrets/encoding.ts";
import { SECRET_VARIABLE, type SecretOptions } from "../secrets/options.ts";
import { type FoundSecrets, findSecrets, unset } from "../secrets/secret.ts";
import { isVariableName } from "../shown-value.ts";

/** The secret that the service should sign with. */
export interface SubscriptionSecret {
  readonly value: string;
  /** Safe to show. */
  readonly fingerprint: string;
}

/**
 * Finds the secret as other commands in this folder do; if there is none, creates one and writes it to the env file.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`, `secret_unsafe`
 */
export async function findOrMakeSecret(
  context: CliContext,
  options: SecretOptions,
): Promise<SubscriptionSecret> {
  const found = await find(context, options);
  return currentSecret(found ?? make(context, options), (warning) =>
    context.output.talk(`warning: ${warning}`),
  );
}

/**
 * The current one of several secrets. The service gets its text, not the bytes it is decoded to.
 *
 * @throws HookporterError `secret_invalid` for bytes that are not text
 */
export function currentSecret(
  { values: [first], texts: [text] }: FoundSecrets,
  warn: (message: string) => void = () => {},
): SubscriptionSecret {
  const [secret] = readSecrets(first, warn);
  if (text === undefined) {
    throw new HookporterError(
      "secret_invalid",
      "expected a secret that is text, since the service takes a string, got bytes that are not UTF-8: " +
        "pass them in hex or base64, and name it with --secret-encoding",
    );
  }
  const value = text.replace(/[\r\n]+$/, ""); // as the receiver does
  return { value, fingerprint: secret?.fingerprint ?? "" };
}

/** `undefined` if a secret may be created: a single variable that is not set, or is empty in the env file. */
async function find(context: CliContext, options: SecretOptions): Promise<FoundSecrets | undefined> {
  const { secretStdin, secretEnv: [name = "", ...others] = [SECRET_VARIABLE] } = options;
  const mayMake = secretStdin !== true && others.length === 0 && context.io.env[name] === undefined;
  try {
    const found = await findSecrets(context, options);
    return mayMake && found.texts[0] === "" ? undefined : found;
  } catch (thrown) {
    const missing = thrown instanceof ConfigurationError && thrown.code === "secret_missing";
    if (missing && mayMake) return undefined;
    throw thrown;
  }
}

function make(
  { io, output }: CliContext,
  { secretEnv: [name = ""] = [SECRET_VARIABLE], envFile, secretEncoding = DEFAULT_ENCODING }: SecretOptions,
): FoundSecrets {
  if (!isVariableName(name)) throw unset([name]); // it may be the secret itself, and would be written to a file and printed
  const value = generateSecretText(secretEncoding);
  const file = setInEnvFile(io.cwd, envFile, name, value);
  output.talk(
    `created a new secret: ${name} in ${file}, which only its owner can read; keep it out of version control`,
  );
  return { values: [decodeSecret(value, secretEncoding, name)], texts: [value], from: `${name} in ${file}` };
}
