import { ConfigurationError } from "../../errors.ts";
import { generateSecret } from "../../scaffold/env-file.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { CliContext } from "../context.ts";
import { setInEnvFile } from "../files/env-file.ts";
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

/** The current one of several secrets, as sent to the service. */
export function currentSecret(
  { values: [first] }: FoundSecrets,
  warn: (message: string) => void = () => {},
): SubscriptionSecret {
  const [secret] = readSecrets(first, warn);
  const value = first.replace(/[\r\n]+$/, ""); // as the receiver does
  return { value, fingerprint: secret?.fingerprint ?? "" };
}

/** `undefined` if a secret may be created: a single variable that is not set, or is empty in the env file. */
async function find(context: CliContext, options: SecretOptions): Promise<FoundSecrets | undefined> {
  const { secretStdin, secretEnv: [name = "", ...others] = [SECRET_VARIABLE] } = options;
  const mayMake = secretStdin !== true && others.length === 0 && context.io.env[name] === undefined;
  try {
    const found = await findSecrets(context, options);
    return mayMake && found.values[0] === "" ? undefined : found;
  } catch (thrown) {
    const missing = thrown instanceof ConfigurationError && thrown.code === "secret_missing";
    if (missing && mayMake) return undefined;
    throw thrown;
  }
}

function make(
  { io, output }: CliContext,
  { secretEnv: [name = ""] = [SECRET_VARIABLE], envFile }: SecretOptions,
): FoundSecrets {
  if (!isVariableName(name)) throw unset([name]); // it may be the secret itself, and would be written to a file and printed
  const value = generateSecret();
  const file = setInEnvFile(io.cwd, envFile, name, value);
  output.talk(
    `created a new secret: ${name} in ${file}, which only its owner can read; keep it out of version control`,
  );
  return { values: [value], from: `${name} in ${file}` };
}
