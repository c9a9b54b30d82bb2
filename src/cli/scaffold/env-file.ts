import { randomBytes } from "node:crypto";
import { HookporterError } from "../../base/errors.ts";

/** Creates a signing secret: 32 random bytes, base64url. */
export function generateSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * The `.env` of a project. @throws HookporterError `option_invalid` for a secret that does not fit
 * on one plain line
 */
export function renderEnvFile(example: string, secret: string): string {
  if (!/^[\w.~+/=-]{16,}$/.test(secret)) {
    throw new HookporterError(
      "option_invalid",
      "expected a secret of 16 or more letters, digits and -_.~+/= to write to .env, got something else",
    );
  }
  return setInEnvText(example, "HOOKPORTER_SECRET", secret);
}

/**
 * Sets one variable, to a value that needs no quotes: in its last line, since that one counts, or
 * in a new one.
 */
export function setInEnvText(text: string, name: string, value: string): string {
  const line = `${name}=${value}`;
  const last = [
    ...text.matchAll(new RegExp(`^([ \\t]*(?:export[ \\t]+)?)${name}[ \\t]*=.*$`, "gm")),
  ].at(-1);
  if (last !== undefined) {
    const [whole, indent = ""] = last;
    return text.slice(0, last.index) + indent + line + text.slice(last.index + whole.length);
  }
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const before = text === "" || text.endsWith("\n") ? text : text + end;
  return `${before}${line}${end}`;
}
