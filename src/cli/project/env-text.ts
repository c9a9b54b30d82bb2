import { parseEnv } from "../../base/package/builtins.ts";

/** Variables by their names, such as those of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables of an env file: UTF-8, or UTF-16 with a byte order mark, which is not part of the
 * first name.
 */
export function variablesOf(bytes: Buffer): Variables {
  return parseEnv(textOfEnvFile(bytes));
}

/**
 * The text of an env file: UTF-8, or UTF-16, which PowerShell's `>` and editors on Windows write. A
 * byte order mark is not part of the first name, as Node would take it.
 */
export function textOfEnvFile(bytes: Buffer): string {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const utf16 = isBig ? whole.swap16() : whole;
  return (isLittle || isBig ? utf16.toString("utf16le") : bytes.toString("utf8")).replace(
    /^\uFEFF/,
    "",
  );
}

/** Replaces `${NAME}` by a variable, and `${NAME:-text}` by the text if it is not set or empty. */
export function expandVariables(text: string, variables: Variables): string {
  return text.replaceAll(
    // One without its end is taken to the end of the text, so that no end is looked for twice.
    /\$\{(\w+)(?::-([^}]*)(?:\}|$)|\})/g,
    (whole: string, name: string, otherwise = "") =>
      whole.endsWith("}") ? variables[name] || otherwise : whole,
  );
}
