import { lstatSync, readFileSync, type Stats } from "node:fs";
import { relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import { ConfigurationError, HookporterError } from "../../errors.ts";
import { setInEnvText } from "../../scaffold/env-file.ts";
import { describeFileError } from "./file-error.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Sets one variable of an env file and leaves everything else in it as it is, byte for byte. Only its owner can read the
 * file afterwards.
 *
 * @param value - what needs no quotes
 * @returns the file, as seen from the working folder
 * @throws HookporterError `secret_unsafe` for a symbolic link, `secret_missing` where the file cannot be written
 */
export function setInEnvFile(cwd: string, given: string | undefined, name: string, value: string): string {
  const path = resolve(cwd, given ?? ".env");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) refuseOther(path, found);
  try {
    const before = found === undefined ? "" : readFileSync(path, "latin1"); // one character for each byte
    const after = setInEnvText(before, name, value);
    checkNothingElseChanged(path, { before, after, name, value });
    replaceFile(path, Buffer.from(after, "latin1"));
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw thrown;
    throw unreadable(path, thrown);
  }
  return relative(cwd, path);
}

/** A link could lead the secret anywhere. */
function refuseOther(path: string, found: Stats): void {
  if (found.isFile()) return;
  const got = found.isSymbolicLink() ? "a symbolic link" : "something else";
  throw new HookporterError(
    "secret_unsafe",
    `expected ${path} to be a file to write a secret to, got ${got}: remove it, or set the secret yourself`,
  );
}

/** A line may be part of a value in quotes that goes over several: then it is not the variable. */
function checkNothingElseChanged(
  path: string,
  { before, after, name, value }: { before: string; after: string; name: string; value: string },
): void {
  const wanted = { ...variablesOf(before), [name]: value };
  const got = variablesOf(after);
  const names = new Set([...Object.keys(wanted), ...Object.keys(got)]);
  if ([...names].every((one) => wanted[one] === got[one])) return;
  throw new ConfigurationError(
    "secret_missing",
    `expected a place for ${name} in ${path}, got a file that cannot be added to safely: set ${name} yourself`,
  );
}

/** Node 26 takes `export` for a part of the name where the value is empty. */
function variablesOf(text: string): Readonly<Record<string, string | undefined>> {
  const variables = Object.entries(parseEnv(text));
  return Object.fromEntries(variables.map(([name, value]) => [name.replace(/^export\s+/, ""), value]));
}

function unreadable(path: string, thrown: unknown): ConfigurationError {
  return new ConfigurationError(
    "secret_missing",
    `the env file ${path} cannot be read and written anew: ${describeFileError(thrown)}`,
  );
}
