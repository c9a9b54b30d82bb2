import { randomBytes } from "node:crypto";
import { HookporterError } from "../errors.ts";

const SECRET_LINE = /^HOOKPORTER_SECRET=.*$/m;

/** A new signing secret: 32 random bytes, base64url. */
export function generateSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * The `.env` of a project: its example with the secret filled in.
 *
 * @throws HookporterError `option_invalid` for a secret that an env file cannot hold on one plain line, or a short one
 */
export function renderEnvFile(example: string, secret: string): string {
  if (!/^[\w.~+/=-]{16,}$/.test(secret)) {
    throw new HookporterError(
      "option_invalid",
      "expected a secret of 16 or more letters, digits and -_.~+/= to write to .env, got another",
    );
  }
  const line = `HOOKPORTER_SECRET=${secret}`;
  if (SECRET_LINE.test(example)) return example.replace(SECRET_LINE, () => line);
  return example === "" ? `${line}\n` : `${example.trimEnd()}\n${line}\n`;
}
