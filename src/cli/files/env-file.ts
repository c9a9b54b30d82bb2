import { lstatSync, readFileSync, type Stats } from "node:fs";
import { relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import { ConfigurationError, HookporterError } from "../../errors.ts";
import { setInEnvText } from "../../scaffold/env-file.ts";
import { describeFileError } from "./file-error.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Sets one variable in an env file and leaves everything else unchanged, byte for byte. Afterwards only its owner can read
 * the file.
 *
 * @param value - a value that needs no quotes
 * @returns the file, relative to the working folder
 * @throws HookporterError `secret_unsafe` for a symbolic link, `secret_missing` if the file cannot be written
 */
export function setInEnvFile(cwd: string, given: string | undefined, name: string, value: string): string {
  const path = resolve(cwd, given ?? ".env");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) refuseOther(path, found);
  try {
    const before = found === undefined ? "" : readFileSync(path, "latin1"); // one character per byte
    const after = setInEnvText(before, name, value);
    checkNothingElseChanged(path, { before, after, name, value });
    replaceFile(path, Buffer.from(after, "latin1"));
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw thrown;
    throw unreadable(path, thrown);
  }
  return relative(cwd, path);
}

/** A link could send the secret anywhere. */
function refuseOther(path: string, found: Stats): void {
  if (found.isFile()) return;
  const got = found.isSymbolicLink() ? "a symbolic link" : "something else";
  throw new HookporterError(
    "secret_unsafe",
    `expected ${path} to be a regular file, to write a secret to, got ${got}: remove it, or set the secret yourself`,
  );
}

/** A line may be part of a quoted value that spans several lines; then it is not the variable. */
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
    `could not add ${name} to ${path} without changing other values: set ${name} yourself`,
  );
}

/** Node 26 treats `export` as part of the name if the value is empty. */
function variablesOf(text: string): Readonly<Record<string, string | undefined>> {
  const variables = Object.entries(parseEnv(text));
  return Object.fromEntries(variables.map(([name, value]) => [name.replace(/^export\s+/, ""), value]));
}

function unreadable(path: string, thrown: unknown): ConfigurationError {
  return new ConfigurationError(
    "secret_missing",
    `could not rewrite the env file ${path}: ${describeFileError(thrown)}`,
  );
}
