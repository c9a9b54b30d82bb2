import { parseEnv } from "../package/builtins.ts";

/** Variables by their names, such as those of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of an env file: UTF-8, or UTF-16 with a byte order mark, which is not part of the first name. */
export function variablesOf(bytes: Buffer): Variables {
  return parseEnv(textOfEnvFile(bytes));
}

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

/** Replaces `${NAME}` by a variable, and `${NAME:-text}` by the text if it is not set or empty. */
export function expandVariables(text: string, variables: Variables): string {
  return text.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise = "") => variables[name] || otherwise,
  );
}
