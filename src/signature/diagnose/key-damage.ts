import { type Cause, cause } from "./causes.ts";
import { type PeeledKey, peeled } from "./key-peeling.ts";
import { plainText, typesetTexts } from "./typeset.ts";

/** A key that the signing side may have used, and what was done to ours, or to its own. */
export interface DamagedKey {
  readonly causes: readonly Cause[];
  readonly key: string | Uint8Array;
}

/** A longer secret is not taken apart at each of its characters. */
const LONGEST = 256;

const there = (what: string) => `${what} on the signing side`;
const QUOTES = ["“”", "””", "„“", "«»", "‘’", "’’", "``", '""', "''"];
const NAMES = ["HOOKPORTER_SECRET", "WEBHOOK_SECRET", "SIGNING_SECRET", "SECRET", "secret"];
const SPACES = [" ", "\t", "\n", "\r\n", "\u00a0", "\u200b", "\u200d", "\u2060", "\ufeff"];
const MORE_SPACES = ["\0", "\u00ad", "\u200c", "\u200e", "\u200f", "\u202c", "\u2028", "\u3000"];
const BRACKETS = ["<>", "[]", "()", "{}", "{{}}", "%%"];
const BEFORE = ["Bearer ", "bearer ", "Basic ", "Token ", "whsec_", "sha256=", "sk_", "-n "];
const AFTER = [";", ",", ".", ":", "\\", "\\n", "\\r\\n"];

/**
 * The keys that a secret becomes by what copying, chat programs, shells, editors and readers of env
 * files do to it, here or on the signing side. They are many, so that they are tried with the body
 * as it is, and not with its variants.
 */
export function damagedKeys(text: string): readonly DamagedKey[] {
  const named: readonly PeeledKey[] = [
    ...peeled(text),
    ...surrounded(text),
    ...respelled(text),
    ...parts(text),
  ];
  const texts = named.map(({ causes, text: key }) => ({ causes, key }));
  return [...texts, ...inOtherBytes(text)];
}

/** With something around it on the signing side, and perhaps a line break after that. */
function surrounded(text: string): readonly PeeledKey[] {
  const around = (why: Cause, before: string, after = "") => ({
    causes: [why],
    text: before + text + after,
  });
  const quoted = QUOTES.map((pair) =>
    around(cause("secret_quotes", there("quotes")), pair.charAt(0), pair.charAt(1)),
  );
  const half = [...`"'\``].flatMap((quote) => [
    around(cause("secret_quotes", there("one quote")), quote),
    around(cause("secret_quotes", there("one quote")), "", quote),
  ]);
  const spaced = [...SPACES, ...MORE_SPACES].flatMap((space) => {
    const why = cause("secret_whitespace", there("a space or an invisible character"));
    return [around(why, space), around(why, "", space), around(why, space, space)];
  });
  const variable = cause("secret_name", there("the name of a variable"));
  const assigned = NAMES.flatMap((name) =>
    [`${name}=`, `export ${name}=`, `${name}: `, `${name} = `].flatMap((before) => [
      around(variable, before),
      around(variable, `${before}"`, '"'),
      around(variable, `${before}'`, "'"),
    ]),
  );
  const members = [...NAMES, "value", "key", "signingSecret"].map((name) =>
    around(cause("secret_name", there("JSON around it")), `{"${name}":"`, '"}'),
  );
  const bracketed = BRACKETS.map((pair) => {
    const half = Math.ceil(pair.length / 2);
    const why = cause("secret_name", there("brackets"));
    return around(why, pair.slice(0, half), pair.slice(half));
  });
  const more = [
    ...BEFORE.map((before) => around(cause("secret_name", there("a word or a prefix")), before)),
    ...AFTER.map((after) => around(cause("secret_name", there("punctuation")), "", after)),
    ...["", "\n", ",", " "].map((between) =>
      around(cause("secret_name", there("twice")), "", between + text),
    ),
  ];
  const all = [...quoted, ...half, ...spaced, ...assigned, ...members, ...bracketed, ...more];
  const lines = all.flatMap(({ causes, text: made }) =>
    causes.some(({ code }) => code === "secret_whitespace")
      ? []
      : ["\n", "\r", "\r\n"].map((end) => ({
          causes: [...causes, cause("secret_whitespace", there("a line break"))],
          text: made + end,
        })),
  );
  return [...all, ...lines];
}

/** With characters written otherwise, on either side. */
function respelled(text: string): readonly PeeledKey[] {
  const made = (what: string, ...texts: readonly string[]): readonly PeeledKey[] =>
    texts.map((one) => ({ causes: [cause("secret_encoded", what)], text: one }));
  return [
    ...made("typographic characters on this side", plainText(text)),
    ...made(there("typographic characters"), ...typesetTexts(text)),
    ...made(there("in capital letters"), text.toUpperCase()),
    ...made(there("in small letters"), text.toLowerCase()),
    ...made(there("as a JSON string"), JSON.stringify(text).slice(1, -1)),
    ...made(there("as a JSON string"), JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")),
    ...made(there("backslashes before special characters"), text.replace(/[^\w\s]/g, "\\$&")),
    ...made(
      there("backslashes before special characters"),
      ...[/[$]/g, /["$`\\]/g, /[$#]/g, /["'\\]/g].map((special) => text.replace(special, "\\$&")),
    ),
    ...made(there("$ twice"), text.replaceAll("$", "$$$$")),
    ...made(there("% twice"), text.replaceAll("%", "%%")),
    ...made(there("a line break read as \\n"), text.replaceAll("\n", "\\n")),
    ...made(there("in the other alphabet of base64"), text.replace(/[+/]/g, urlSafe)),
    ...made("in the other alphabet of base64 on this side", text.replace(/[-_]/g, urlUnsafe)),
    ...made(there("decoded as Latin-1"), Buffer.from(text).toString("latin1")),
    ...made("decoded as Latin-1 on this side", Buffer.from(text, "latin1").toString("utf8")),
    ...(["NFC", "NFD", "NFKC"] as const).flatMap((form) => made(form, text.normalize(form))),
    ...made(there("in base64 twice"), base64(base64(text))),
  ];
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function urlSafe(character: string): string {
  return character === "+" ? "-" : "_";
}

function urlUnsafe(character: string): string {
  return character === "-" ? "+" : "/";
}

/** With characters lost or added on the signing side. */
function parts(text: string): readonly PeeledKey[] {
  if (text.length > LONGEST) return [];
  const lost = (what: string, one: string) => ({
    causes: [cause("secret_cut", `on the signing side: ${what}`)],
    text: one,
  });
  // Which side is right cannot be told.
  const longer = (by: number, where: string, one: string) => ({
    causes: [cause("secret_cut", `the secret here has ${by} more characters ${where}`)],
    text: one,
  });
  const emptied = [
    ...["*", "_", "~", "`", '"', "'", "\\", "%", "^", "!", "="].map((sign) =>
      lost(`each ${sign}`, text.replaceAll(sign, "")),
    ),
    lost("from ! on", text.replace(/!.*$/s, "")),
    lost("what is between backticks", text.replace(/`[^`]*`/g, "")),
    lost("what is between %", text.replace(/%\w*%/g, "")),
    lost("what is in $()", text.replace(/\$\([^()]*\)/g, "")),
    lost("all but letters and digits", text.replace(/[^a-z0-9]/gi, "")),
    lost("characters beyond ASCII", text.replace(/[^ -~]/g, "")),
    ...["?", "\ufffd"].map((mark) =>
      lost("characters beyond ASCII", text.replace(/[^ -~]/g, mark)),
    ),
  ];
  const places = Array.from({ length: text.length }, (_, at) => at).slice(1);
  const cut = places.flatMap((at) => [
    longer(text.length - at, "at its end", text.slice(0, at)),
    longer(at, "at its start", text.slice(at)),
    lost("a character in it", text.slice(0, at) + text.slice(at + 1)),
  ]);
  const wrapped = [64, 72, 76].map((width) =>
    text.replace(new RegExp(`.{${width}}(?=.)`, "gs"), "$&\n"),
  );
  const broken = places.flatMap((at) =>
    ["\n", " ", "\r\n", "\u200b", "\\\n"].map(
      (inserted) => text.slice(0, at) + inserted + text.slice(at),
    ),
  );
  const why = cause("secret_whitespace", there("a line break or a space in it"));
  return [
    ...emptied,
    ...cut,
    ...[...wrapped, ...broken].map((one) => ({ causes: [why], text: one })),
  ].filter((one) => one.text !== "");
}

/** The same text in another encoding of characters, or in a rare one of bytes. */
function inOtherBytes(text: string): readonly DamagedKey[] {
  const little = Buffer.from(text, "utf16le");
  const big = Buffer.from(little).swap16();
  const utf16 = cause("secret_encoded", there("in UTF-16"));
  const twice = Buffer.from(Buffer.from(text, "base64").toString("latin1"), "base64");
  const base32 = fromBase32(text);
  return [
    ...[
      little,
      big,
      Buffer.concat([Buffer.from("fffe", "hex"), little]),
      Buffer.concat([little, Buffer.from("\r\n", "utf16le")]),
      Buffer.concat([Buffer.from("fffe", "hex"), little, Buffer.from("\r\n", "utf16le")]),
    ].map((key) => ({ causes: [utf16], key })),
    { causes: [cause("secret_encoded", there("in Latin-1"))], key: Buffer.from(text, "latin1") },
    { causes: [cause("secret_base64", there("decoded twice"))], key: twice },
    ...(base32 === undefined
      ? []
      : [{ causes: [cause("secret_encoded", there("decoded as base32"))], key: base32 }]),
  ];
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The bytes of a text in base32; `undefined` if it is none. */
export function fromBase32(text: string): Uint8Array | undefined {
  if (text.length > 1000 || !/^[A-Z2-7]{8,}={0,6}$/i.test(text)) return undefined;
  const bits = Array.from(text.replaceAll("=", "").toUpperCase(), (character) =>
    BASE32.indexOf(character).toString(2).padStart(5, "0"),
  ).join("");
  const whole = bits.match(/.{8}/g) ?? [];
  return Uint8Array.from(whole, (byte) => Number.parseInt(byte, 2));
}
