import { randomBytes } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ConfigurationError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { isUtf8 } from "../../base/package/builtins.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { withFileErrors } from "../../base/unusable.ts";
import type { SecretValue } from "../../signature/secret-bytes.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { CliContext } from "../context.ts";
import { readAll } from "../files/read-input.ts";
import { makeFile } from "../files/replace-file.ts";
import {
  makeStateFolder,
  OTHER_FOLDER_ADVICE,
  readOwnFile,
  STATE_FOLDER,
} from "../files/state-folder.ts";
import type { Io } from "../io.ts";
import { variablesOf } from "../project/env-text.ts";
import { PREVIOUS_SECRET_VARIABLE, SECRET_VARIABLE } from "../project/secret-variables.ts";
import { isVariableName, shownVariable } from "../shown-value.ts";
import { DEFAULT_ENCODING, decodeSecret, notText } from "./encoding.ts";
import type { SecretOptions } from "./secret-options.ts";

/** The secrets, current one first, and a description of where they were found. */
export interface FoundSecrets {
  /** Text that is used as UTF-8, or bytes: decoded, or given on standard input. */
  readonly values: readonly [SecretValue, ...SecretValue[]];
  /** The texts before decoding; `undefined` for bytes that are not UTF-8. */
  readonly texts: readonly [string | undefined, ...(string | undefined)[]];
  readonly from: string;
}

export const DEVELOPMENT_SECRET = "secret";

/**
 * Finds the secrets: standard input, environment, env file, then the folder's development secret.
 * With `create`, a missing development secret is created; with `"given"`, there is none. Throws
 * `secret_missing`; `secret_unsafe`, `secret_invalid`.
 */
export async function findSecrets(
  context: CliContext,
  options: SecretOptions,
  create: boolean | "given" = false,
): Promise<FoundSecrets> {
  const { io } = context;
  if (options.secretStdin === true) return fromStdin(context, options);
  const names = options.secretEnv ?? secretNames(options, io);
  const [first, ...others] = fromVariables(names, options, io);
  if (first !== undefined) {
    const { secretEncoding = DEFAULT_ENCODING } = options;
    const decode = (text: string, index: number) =>
      decodeSecret(text, secretEncoding, shownVariable(names[index] ?? ""));
    return {
      values: [decode(first, 0), ...others.map((text, index) => decode(text, index + 1))],
      texts: [first, ...others],
      from: names.join(", "),
    };
  }
  if (options.secretEnv !== undefined) throw unsetVariableError(names);
  if (create === "given") throw missingSecretError(`${SECRET_VARIABLE} to be set`);
  // always text, whatever the encoding of the user's secrets
  const development = developmentSecret(io, create);
  if (development !== undefined) {
    const from = `${STATE_FOLDER}/${DEVELOPMENT_SECRET}`;
    return { values: [development], texts: [development], from };
  }
  throw missingSecretError(
    `${SECRET_VARIABLE} to be set, or a secret created by \`${ownCommand("listen")}\` in this folder`,
  );
}

/**
 * The variables of the secrets that nobody named: during a rotation also that of the previous one.
 */
export function secretNames(
  { envFile }: SecretOptions,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): readonly string[] {
  const previous =
    env[PREVIOUS_SECRET_VARIABLE] ?? readEnvFile(cwd, envFile)[PREVIOUS_SECRET_VARIABLE];
  return previous ? [SECRET_VARIABLE, PREVIOUS_SECRET_VARIABLE] : [SECRET_VARIABLE];
}

/**
 * Finds the secrets, ready for use, and the current one, which signs. Warns about a secret that can
 * be guessed. Throws `secret_missing`, `secret_empty`, `secret_unsafe`.
 */
export async function findKeys(options: SecretOptions, context: CliContext) {
  const found = await findSecrets(context, options);
  const secrets = readSecrets(found.values, (warning) =>
    context.output.talk(`warning: ${warning}`),
  );
  const [current] = secrets;
  if (current === undefined) throw missingSecretError(`${SECRET_VARIABLE} to be set`);
  return { found, secrets, current };
}

/**
 * Random bytes are hardly ever UTF-8, and a byte at their end that looks like a line break is part
 * of them.
 */
async function fromStdin(
  { io, output }: CliContext,
  { secretEncoding = DEFAULT_ENCODING }: SecretOptions,
): Promise<FoundSecrets> {
  const from = "standard input";
  const bytes = await readAll(io.stdin);
  if (isUtf8(bytes)) {
    const text = bytes.toString("utf8");
    return {
      values: [decodeSecret(text, secretEncoding, `the secret on ${from}`)],
      texts: [text],
      from,
    };
  }
  if (secretEncoding !== "utf8") throw notText(secretEncoding, from);
  if (bytes.at(-1) === 0x0a) {
    output.talk(
      "warning: the secret is not UTF-8 and ends in a line break, which is used as part of the secret",
    );
  }
  return { values: [bytes], texts: [undefined], from };
}

/** The error if no variable of `--secret-env` is set. */
export function unsetVariableError(names: readonly string[]): ConfigurationError {
  const wrong = names.find((name) => !isVariableName(name));
  if (wrong === undefined) return missingSecretError(`${names.join(", ")} to be set`);
  return new ConfigurationError(
    "secret_missing",
    `expected --secret-env to name a variable that is set, got ${shownVariable(wrong)}, which is not one: ` +
      "pass the variable's name, never the secret itself",
  );
}

function missingSecretError(expected: string): ConfigurationError {
  return new ConfigurationError(
    "secret_missing",
    `expected ${expected}, got no secret: export ${SECRET_VARIABLE}, write it to .env, or pass --secret-stdin`,
  );
}

function fromVariables(
  names: readonly string[],
  { envFile }: SecretOptions,
  io: Io,
): readonly string[] {
  const file = readEnvFile(io.cwd, envFile);
  const values = names.map((name) => io.env[name] ?? file[name]);
  const absent = names.filter((_, index) => values[index] === undefined);
  if (absent.length > 0 && absent.length < names.length)
    throw missingSecretError(`${absent.map(shownVariable).join(", ")} to be set as well`);
  return values.flatMap((value) => value ?? []);
}

/**
 * The variables of the env file; none if no file was named and there is no `.env`. Throws
 * `secret_missing` if the named file cannot be read.
 */
export function readEnvFile(
  cwd: string,
  given: string | undefined,
): Readonly<Record<string, string | undefined>> {
  const bytes = envFileBytes(cwd, given);
  return bytes.length === 0 ? {} : variablesOf(bytes);
}

/** The bytes of the env file, none if there is none; see `readEnvFile`. */
export function envFileBytes(cwd: string, given: string | undefined): Buffer {
  const path = isAbsolute(given ?? "") ? (given ?? "") : join(cwd, given ?? ".env");
  try {
    return readFileSync(path);
  } catch (thrown) {
    if (given === undefined && (thrown as NodeJS.ErrnoException).code === "ENOENT")
      return Buffer.alloc(0);
    throw new ConfigurationError(
      "secret_missing",
      `could not read the env file ${path} (${describeFileError(thrown)}): name another with HOOKPORTER_ENV_FILE`,
    );
  }
}

/** The folder's development secret: created once, readable only by its owner, never printed. */
function developmentSecret(io: Io, create: boolean): string | undefined {
  const path = join(io.cwd, STATE_FOLDER, DEVELOPMENT_SECRET);
  const instead = create ? OTHER_FOLDER_ADVICE : `set ${SECRET_VARIABLE}`;
  const found = withFileErrors(path, () => lstatSync(path, { throwIfNoEntry: false }), instead);
  if (found === undefined && !create) return undefined;
  if (io.env.NODE_ENV === "production")
    throw missingSecretError(
      `${SECRET_VARIABLE} to be set, since a development secret is not used if NODE_ENV is production`,
    );
  if (found === undefined) {
    makeStateFolder(io.cwd);
    const value = randomBytes(32).toString("base64url");
    if (withFileErrors(path, () => makeFile(path, `${value}\n`), instead)) return value;
  }
  const secret = readOwnFile(path);
  if (secret !== "") return secret;
  const message = `expected ${path} to hold a secret, got none: remove it, and listen creates a new one`;
  throw new ConfigurationError("secret_empty", message);
}
