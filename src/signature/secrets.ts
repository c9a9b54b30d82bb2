import { createHash, createSecretKey, type KeyObject } from "node:crypto";
import { ConfigurationError } from "../base/errors.ts";
import { isBytes } from "../base/guards.ts";
import { describeValue } from "../base/options/describe-value.ts";
import { detach } from "../base/try-or.ts";
import { type SecretValue, secretBytes } from "./secret-bytes.ts";

/** A usable secret. Printing or serialising it shows only the fingerprint. */
export interface Secret {
  readonly key: KeyObject;
  /** `current` for the first of a list, `previous` for the others. */
  readonly role: "current" | "previous";
  /** 8 hex digits that identify the secret without revealing it; safe to show. */
  readonly fingerprint: string;
}

/**
 * Prepares secrets: trims a trailing newline, refuses an empty secret (Node would sign with an
 * empty key without any warning), warns about a placeholder or a short secret.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`
 */
export function readSecrets(
  given: SecretValue | readonly SecretValue[] | undefined,
  warn: (message: string) => void = () => {},
): readonly Secret[] {
  const values = given === undefined ? [] : isList(given) ? given : [given];
  if (values.length === 0)
    throw new ConfigurationError(
      "secret_missing",
      "expected a signing secret, got none: pass `secret`, or set HOOKPORTER_SECRET to the subscription's secret",
    );
  return values.map((value, index) => readSecret(value, index, warn));
}

function isList(given: SecretValue | readonly SecretValue[]): given is readonly SecretValue[] {
  return Array.isArray(given);
}

function readSecret(value: SecretValue, index: number, warn: (message: string) => void): Secret {
  const which = index === 0 ? "the secret" : `secret ${index + 1} of the list`;
  if (typeof value !== "string" && !isBytes(value)) {
    detach(value);
    throw new ConfigurationError(
      "secret_missing",
      `expected ${which} to be a string or bytes, got ${describeValue(value)}: is the variable set?`,
    );
  }
  const bytes = secretBytes(value, which, warn);
  const fingerprint = createHash("sha256")
    .update("hookporter:fingerprint:")
    .update(bytes)
    .digest("hex");
  return {
    key: createSecretKey(bytes),
    role: index === 0 ? "current" : "previous",
    fingerprint: fingerprint.slice(0, 8),
  };
}
