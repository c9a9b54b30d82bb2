import { tryOr } from "../../base/try-or.ts";
import { type Cause, cause } from "./causes.ts";
import { withoutEntities } from "./html-variants.ts";
import { INVISIBLE } from "./typeset.ts";

/** A secret as it may have been before something was put around it, and what that was. */
export interface PeeledKey {
  readonly causes: readonly Cause[];
  readonly text: string;
}

/** A layer may lie in a layer; deeper ones are rare. */
const MOST_LAYERS = 3;
const MOST_PEELED = 64;

const here = (what: string) => `${what} on this side`;
const QUOTES = "\"'`“”„‟‘’‚‛«»‹›";
const PAIRS = ["<>", "[]", "()", "{}", "%%", "**", "__"];
const NAME =
  /^(?:export |set |setx |env |-e |\$env:|--?)?[a-z_][\w.-]{0,80}[ \t]{0,8}[:=]=?[ \t]{0,8}(?=.)/i;

/** What may be around a secret that was copied, pasted or read by another program than expected. */
const LAYERS: readonly (readonly [Cause, (text: string) => string | undefined])[] = [
  [cause("secret_whitespace", here("invisible characters")), (text) => text.replace(INVISIBLE, "")],
  [cause("secret_whitespace", here("spaces")), (text) => text.trim()],
  [
    cause("secret_whitespace", here("\\n or \\r as text at the end")),
    (text) => text.replace(/(?:\\r)?(?:\\n|\\r)$/, ""),
  ],
  [cause("secret_quotes", here("quotes")), unquoted],
  [cause("secret_name", here("the name of a variable")), (text) => text.replace(NAME, "")],
  [cause("secret_name", here("a comment")), withoutComment],
  [
    cause("secret_name", here("a word")),
    (text) => text.replace(/^(?:bearer|basic|token|secret|key|hmac|-n) +/i, ""),
  ],
  [cause("secret_name", here("a prefix")), (text) => text.replace(/^(?:whsec|secret|key)_/i, "")],
  [cause("secret_name", here("brackets")), unbracketed],
  [
    cause("secret_name", here("a character of punctuation at its end")),
    (text) => text.replace(/[;,.:\\]$/, ""),
  ],
  [cause("secret_name", here("twice")), halved],
  [
    cause("secret_whitespace", here("spaces or line breaks in it")),
    (text) => text.replace(/\s+/g, ""),
  ],
  [cause("secret_encoded", here("$ twice")), (text) => text.replaceAll("$$", "$")],
  [cause("secret_encoded", here("% twice")), (text) => text.replaceAll("%%", "%")],
  [
    cause("secret_encoded", here("backslashes before special characters")),
    (text) => text.replace(/\\([^a-z0-9\s\\])/gi, "$1"),
  ],
  [cause("secret_encoded", here("as a JSON string")), unescaped],
  [cause("secret_encoded", here("with HTML entities")), withoutEntities],
  [cause("secret_base64", here("not decoded")), fromBase64],
];

/** The secret without each of the layers around it, and without several. */
export function peeled(text: string): readonly PeeledKey[] {
  const found: PeeledKey[] = [];
  const seen = new Set([text]);
  let layer: readonly PeeledKey[] = [{ causes: [], text }];
  for (let depth = 0; depth < MOST_LAYERS && layer.length > 0; depth++) {
    layer = layer.flatMap((outer) =>
      LAYERS.flatMap(([why, peel]) => {
        const inner = peel(outer.text);
        if (inner === undefined || inner === "" || seen.has(inner)) return [];
        if (found.length >= MOST_PEELED) return [];
        seen.add(inner);
        const known = outer.causes.some(({ code }) => code === why.code);
        const one = { causes: known ? outer.causes : [...outer.causes, why], text: inner };
        found.push(one);
        return [one];
      }),
    );
  }
  return [...found, ...membersOf(text), ...partsOf(text)];
}

/** Without a quote at either end, or with one that lost its other end. */
function unquoted(text: string): string | undefined {
  const start = QUOTES.includes(text.charAt(0)) ? 1 : 0;
  const end = text.length > 1 && QUOTES.includes(text.charAt(text.length - 1)) ? -1 : undefined;
  return start === 0 && end === undefined ? undefined : text.slice(start, end);
}

function unbracketed(text: string): string | undefined {
  const whole = text.startsWith("$") ? text.slice(1) : text;
  const pair = whole.charAt(0) + whole.charAt(whole.length - 1);
  return whole.length > 2 && PAIRS.includes(pair) ? whole.slice(1, -1) : undefined;
}

/** A comment begins with white space, and with a space after its sign; a secret may contain `#`. */
function withoutComment(text: string): string | undefined {
  const at = text.search(/\s(?:#|\/\/|--|;)(?:\s|$)/);
  return at <= 0 ? undefined : text.slice(0, at).trimEnd();
}

function halved(text: string): string | undefined {
  const half = text.slice(0, text.length / 2);
  if (half + half === text) return half;
  // with a character between the two, such as a line break
  const less = text.slice(0, (text.length - 1) / 2);
  return text.length % 2 === 1 && text.endsWith(less) ? less : undefined;
}

/** In base64 with the line break that `echo` adds, as in secrets of Kubernetes. */
function fromBase64(text: string): string | undefined {
  if (!/^[\w+/-]{8,}={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  const made = bytes.toString("utf8");
  return Buffer.from(made).equals(bytes) ? made : undefined;
}

function unescaped(text: string): string | undefined {
  if (!text.includes("\\")) return undefined;
  return tryOr(() => JSON.parse(`"${text}"`) as string, undefined);
}

/** A store of secrets may return JSON with the secret in a member. */
function membersOf(text: string): readonly PeeledKey[] {
  if (!/^\s*[{[]/.test(text)) return [];
  const value: unknown = tryOr(() => JSON.parse(text), undefined);
  if (typeof value !== "object" || value === null) return [];
  const texts = Object.values(value).filter((member) => typeof member === "string");
  const causes = [cause("secret_name", here("JSON around it"))];
  return texts.slice(0, MOST_PEELED).map((member) => ({ causes, text: member }));
}

/** Several values in one, such as those of a rotation. */
function partsOf(text: string): readonly PeeledKey[] {
  const parts = text.split(/[,;|\s]+/, MOST_PEELED).filter((part) => part.length >= 8);
  if (parts.length < 2) return [];
  const causes = [cause("secret_name", here("several values in one"))];
  return parts.map((part) => ({ causes, text: part }));
}
