/** A service may repeat in its answer what it was sent; a key in an error would end in a log. */
export function redact(text: string, secrets: readonly string[], maxLength = 500): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== "") clean = clean.replaceAll(secret, "[redacted]");
  }
  clean = clean.replace(/sk_(?:test|live)_[\w-]+/g, "[redacted]");
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}
