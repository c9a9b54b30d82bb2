/**
 * Removes secrets from a text: a service may repeat what it was sent, and errors end up in logs.
 * Knows a secret, too, as JSON, addresses, pages, base64 and hex write it.
 */
export function redact(text: string, secrets: readonly string[], maxLength = 500): string {
  // The longest first, since it may contain another one.
  const ordered = secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length);
  const hidden = ordered.reduce(withoutSecret, text);
  const clean = hidden.replace(/sk_(?:test|live)_[\w-]+/g, REDACTED);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

const REDACTED = "[redacted]";

/** Shorter forms of a secret would be found inside other words. */
const SHORTEST = 6;

function withoutSecret(text: string, secret: string): string {
  const encoded = [secret, ...encodedWhole(secret)];
  const left = encoded.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
  return withoutEscaped(left, [...secret].map(formsOf));
}

/** A secret as hex, and in base64 of any text that it is a part of. */
function encodedWhole(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  // After each count of bytes that makes a difference; without what a neighbour changes.
  const base64 = [0, 1, 2].flatMap((before) => {
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    return (["base64", "base64url"] as const).map((name) => whole.toString(name).slice(start, end));
  });
  return [hex, hex.toUpperCase(), ...base64].filter((form) => form.length >= SHORTEST);
}

/** Each character is written in any of its forms, since encoders escape different ones. */
function withoutEscaped(text: string, characters: readonly (readonly string[])[]): string {
  let clean = "";
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const end = endOf(text, at, characters);
    if (end === undefined) continue;
    clean += text.slice(kept, at) + REDACTED;
    kept = end;
    at = end - 1;
  }
  return clean + text.slice(kept);
}

/** Where the secret that begins at a place ends; more than one way may lead on from a backslash. */
function endOf(
  text: string,
  start: number,
  characters: readonly (readonly string[])[],
): number | undefined {
  let ends: ReadonlySet<number> = new Set([start]);
  for (const forms of characters) {
    const next = [...ends].flatMap((at) =>
      forms.filter((form) => text.startsWith(form, at)).map((form) => at + form.length),
    );
    if (next.length === 0) return undefined;
    ends = new Set(next);
  }
  return Math.max(...ends);
}

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** What encoders make of a character. */
function formsOf(character: string): readonly string[] {
  const point = character.codePointAt(0) ?? 0;
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  const bytes = Buffer.from(character).toString("hex").match(/../g) ?? [];
  const escapes = [
    units.map((unit) => `\\u${unit}`).join(""),
    bytes.map((byte) => `%${byte}`).join(""),
    `&#x${point.toString(16)};`,
  ];
  const upper = [
    units.map((unit) => `\\u${unit.toUpperCase()}`).join(""),
    bytes.map((byte) => `%${byte.toUpperCase()}`).join(""),
    `&#x${point.toString(16).toUpperCase()};`,
  ];
  const space = character === " " ? ["+"] : [];
  return [
    ...escapes,
    ...upper,
    `&#${point};`,
    NAMES[character] ?? character,
    JSON.stringify(character).slice(1, -1),
    `\\${character}`,
    character,
    ...space,
  ];
}
