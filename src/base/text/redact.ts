/**
 * Removes secrets from a text: a service may repeat what it was sent, and errors end up in logs.
 */
export function redact(text: string, secrets: readonly string[], maxLength = 500): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== "") clean = clean.replaceAll(secret, "[redacted]");
  }
  clean = clean.replace(/sk_(?:test|live)_[\w-]+/g, "[redacted]");
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}
