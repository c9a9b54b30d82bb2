import { type KeyObject, randomBytes } from "node:crypto";
import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import { ConfigurationError } from "../errors.ts";
import { readSecrets } from "../signature/secrets.ts";
import type { CliContext } from "./context.ts";
import { describeFileError } from "./file-error.ts";
import type { Io } from "./io.ts";
import { readOwnFile } from "./own-file.ts";
import { readAll } from "./read-input.ts";
import { makeStateFolder, STATE_FOLDER } from "./state-folder.ts";
import { readVariableNames } from "./values.ts";

/** Where to look for secrets. */
export interface SecretOptions {
  readonly secretEnv?: readonly string[];
  readonly envFile?: string;
  readonly secretStdin?: boolean;
}

/** The secrets, current one first, and a description of where they were found. */
export interface FoundSecrets {
  readonly values: readonly [string, ...string[]];
  readonly from: string;
}

/** The variable that holds the secret unless `--secret-env` names another. */
export const SECRET_VARIABLE = "HOOKPORTER_SECRET";
const DEVELOPMENT_SECRET = "secret";

/** Adds the options that locate the secret; none of them takes the secret itself. */
export function addSecretOptions(command: Command): Command {
  return command
    .option(
      "--secret-env <names>",
      `environment variables that hold the secrets, current one first (default: ${SECRET_VARIABLE})`,
      readVariableNames,
    )
    .option("--env-file <file>", "file to read variables from if they are not set (default: .env)")
    .option("--secret-stdin", "read the secret from standard input");
}

/**
 * Finds the secrets: standard input, environment, env file, then the folder's development secret. With `create`, a missing
 * development secret is created.
 *
 * @throws ConfigurationError `secret_missing`, `secret_unsafe`
 */
export async function findSecrets(
  { io }: CliContext,
  options: SecretOptions,
  create = false,
): Promise<FoundSecrets> {
  if (options.secretStdin === true) {
    const value = (await readAll(io.stdin)).toString("utf8");
    return { values: [value], from: "standard input" };
  }
  const names = options.secretEnv ?? [SECRET_VARIABLE];
  const [first, ...others] = fromVariables(names, options, io);
  if (first !== undefined) return { values: [first, ...others], from: names.join(", ") };
  if (options.secretEnv !== undefined) throw missing(`${names.join(", ")} to be set`);
  const development = developmentSecret(io, create);
  if (development !== undefined)
    return { values: [development], from: `${STATE_FOLDER}/${DEVELOPMENT_SECRET}` };
  throw missing(`${SECRET_VARIABLE} to be set, or a secret created by \`hookporter listen\` in this folder`);
}

/**
 * The key to sign with: the current secret's. Warns about a secret that can be guessed.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`, `secret_unsafe`
 */
export async function findKey(options: SecretOptions, context: CliContext): Promise<KeyObject> {
  const found = await findSecrets(context, options);
  const [secret] = readSecrets(found.values, (warning) => context.output.talk(`warning: ${warning}`));
  if (secret === undefined) throw missing(`${SECRET_VARIABLE} to be set`);
  return secret.key;
}

function missing(expected: string): ConfigurationError {
  return new ConfigurationError(
    "secret_missing",
    `expected ${expected}, got no secret: export ${SECRET_VARIABLE}, write it to .env, or pass --secret-stdin`,
  );
}

function fromVariables(names: readonly string[], { envFile }: SecretOptions, io: Io): readonly string[] {
  const file = readEnvFile(io.cwd, envFile);
  const values = names.map((name) => io.env[name] ?? file[name]);
  const absent = names.filter((_, index) => values[index] === undefined);
  if (absent.length > 0 && absent.length < names.length)
    throw missing(`${absent.join(", ")} to be set as well`);
  return values.flatMap((value) => value ?? []);
}

/**
 * The variables of the env file; none if no file was named and there is no `.env`.
 *
 * @throws ConfigurationError `secret_missing` if the named file cannot be read
 */
export function readEnvFile(
  cwd: string,
  given: string | undefined,
): Readonly<Record<string, string | undefined>> {
  const path = isAbsolute(given ?? "") ? (given ?? "") : join(cwd, given ?? ".env");
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (thrown) {
    if (given === undefined && (thrown as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new ConfigurationError(
      "secret_missing",
      `could not read the env file ${path}: ${describeFileError(thrown)}`,
    );
  }
}

/** The folder's development secret: created once, readable only by its owner, never printed. */
function developmentSecret(io: Io, create: boolean): string | undefined {
  const path = join(io.cwd, STATE_FOLDER, DEVELOPMENT_SECRET);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined && !create) return undefined;
  if (io.env.NODE_ENV === "production") {
    throw missing(
      `${SECRET_VARIABLE} to be set, since a development secret is not used if NODE_ENV is production`,
    );
  }
  if (found === undefined) {
    makeStateFolder(io.cwd);
    const value = randomBytes(32).toString("base64url");
    writeFileSync(path, `${value}\n`, { mode: 0o600, flag: "wx" });
    return value;
  }
  return readOwnFile(path);
}
