import { lstatSync, readFileSync, type Stats } from "node:fs";
import { relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import { ConfigurationError, HookporterError } from "../../errors.ts";
import { setInEnvText } from "../../scaffold/env-file.ts";
import { replaceFile } from "./replace-file.ts";
import { unusable } from "./unusable.ts";

/**
 * The text of an env file: UTF-8, or UTF-16, which PowerShell's `>` and editors on Windows write. A byte order mark is not
 * part of the first name, as Node would take it.
 */
export function textOfEnvFile(bytes: Buffer): string {
  const utf16 = utf16Of(bytes);
  return (utf16 ?? bytes.toString("utf8")).replace(/^\uFEFF/, "");
}

/** The text of a file that begins with the byte order mark of UTF-16, else `undefined`. */
function utf16Of(bytes: Buffer): string | undefined {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return whole.toString("utf16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return Buffer.from(whole).swap16().toString("utf16le");
  return undefined;
}

/** A byte order mark, one character per byte; it is no part of the first name. */
const BOM = "\u00EF\u00BB\u00BF";

/**
 * Sets one variable in an env file and leaves everything else unchanged, byte for byte. Afterwards only its owner can read
 * the file.
 *
 * @param value - a value that needs no quotes
 * @returns the file, relative to the working folder
 * @throws HookporterError `secret_unsafe` for a symbolic link, `folder_unusable` if the file cannot be written,
 *   `secret_missing` if it cannot be changed without changing other values
 */
export function setInEnvFile(cwd: string, given: string | undefined, name: string, value: string): string {
  const path = resolve(cwd, given ?? ".env");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) refuseOther(path, found);
  try {
    const bytes = found === undefined ? Buffer.alloc(0) : readFileSync(path);
    if (utf16Of(bytes) !== undefined) throw isUtf16(path, name);
    const whole = bytes.toString("latin1"); // one character per byte
    const mark = whole.startsWith(BOM) ? BOM : "";
    const before = whole.slice(mark.length);
    const after = setInEnvText(before, name, value);
    checkNothingElseChanged(path, { before, after, name, value });
    replaceFile(path, Buffer.from(mark + after, "latin1"));
  } catch (thrown) {
    if (thrown instanceof HookporterError) throw thrown;
    throw unusable(path, thrown, `set ${name} yourself`);
  }
  return relative(cwd, path);
}

/** Programs other than this one, such as Node itself, do not read it. */
function isUtf16(path: string, name: string): ConfigurationError {
  return new ConfigurationError(
    "secret_missing",
    `expected ${path} to be UTF-8, to add ${name} to it, got UTF-16: save it as UTF-8, or set ${name} yourself`,
  );
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
