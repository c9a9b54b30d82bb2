import { resolve } from "node:path";
import { isBelow, realPath } from "../../base/system/paths.ts";
import { tryOr } from "../../base/try-or.ts";
import type { CliContext } from "../context.ts";
import type { Io } from "../io.ts";
import { printable } from "../output.ts";
import { shownVariable } from "../shown-value.ts";

/** The variable that holds a key or a secret. */
export interface KeyVariable {
  /** What it holds, such as `the API key`. */
  readonly what: string;
  readonly name: string;
  readonly envFile: string | undefined;
}

/** The flags that name where keys and secrets are sent, with their variables. */
const ADDRESS_FLAGS = {
  baseUrl: "HOOKPORTER_BASE_URL",
  stream: "HOOKPORTER_STREAM",
  url: "HOOKPORTER_URL",
} as const;

export type AddressFlag = keyof typeof ADDRESS_FLAGS;

/**
 * An address that a file of the folder names, and a key of someone who may not have written that
 * file.
 */
export interface ForeignAddress {
  /** Where the address is from. */
  readonly addressFrom: string;
  /** What the key is. */
  readonly what: string;
  /** Where the key is from. */
  readonly keyFrom: string;
  /** How the address becomes the person's own choice. */
  readonly fix: string;
}

/**
 * Looks whether a file of the folder names the address that a key is sent to, although the key is
 * not in the folder too. Otherwise the author of a cloned project could have the keys of the
 * environment sent anywhere.
 */
export function foreignAddress(
  flag: AddressFlag,
  key: KeyVariable,
  { io, origins, files }: Pick<CliContext, "io" | "origins" | "files">,
): ForeignAddress | undefined {
  const addressFile = files.get(flag);
  if (addressFile === undefined) return undefined;
  const keyFile = fileOf(key, io);
  if (keyFile !== undefined && belongs(keyFile, addressFile, io.cwd)) return undefined;
  const name = shownVariable(key.name);
  return {
    addressFrom: origins.get(flag) ?? addressFile,
    keyFrom:
      keyFile === undefined ? `${name} in the environment` : `${name} in ${key.envFile ?? ".env"}`,
    what: key.what,
    fix: `export ${ADDRESS_FLAGS[flag]}, or write ${key.what} to the folder's .env`,
  };
}

/**
 * Says which file names the address that a key of someone else is sent to, whatever that file says
 * of `quiet`.
 */
export function reportForeign(
  shown: string,
  foreign: ForeignAddress | undefined,
  { output }: Pick<CliContext, "output">,
): void {
  if (foreign === undefined) return;
  const { addressFrom, what, keyFrom } = foreign;
  output.writeStderr(
    `${printable(`${shown}, from ${addressFrom}, gets ${what} from ${keyFrom}`, 1000)}\n`,
  );
}

/** The file that holds a variable; `undefined` if it is set in the environment. */
function fileOf({ name, envFile }: KeyVariable, { cwd, env }: Io): string | undefined {
  return env[name] ? undefined : resolve(cwd, envFile ?? ".env");
}

/**
 * Whether a key is in the file of the address, or in the folder. A link may lead to a key
 * elsewhere.
 */
function belongs(keyFile: string, addressFile: string, folder: string): boolean {
  const real = (path: string) => tryOr(() => realPath(path), path);
  const key = real(keyFile);
  return key === real(addressFile) || isBelow(key, real(folder));
}
