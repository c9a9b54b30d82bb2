import { type BodyVariant, variant } from "./body-variant.ts";
import { type Cause, type CauseCode, cause } from "./causes.ts";
import { charsetVariants } from "./charset-variants.ts";
import { type JsonTokens, memberOf, tokenise } from "./json-tokens.ts";
import { jsonVariants, type Spellings } from "./json-variants.ts";

const BOM = "\uFEFF";
/** JSON of more tokens than these is not spelt in every way: printing it takes too long. */
const MANY_TOKENS = 40_000;
/** What it takes to read a token and to spell it anew, where hashing a byte is 1. */
const TOKEN_WORK = 300;

/** The bodies that may have been signed in place of another. */
export interface BodyVariants {
  /** Those with the fewest causes first. */
  readonly variants: readonly BodyVariant[];
  /** Whether the body is small enough for all of them. */
  readonly complete: boolean;
  /** What finding them took, where hashing a byte is 1. */
  readonly work: number;
}

/** The bodies that may have been signed in place of this one. */
export function bodyVariants(body: Uint8Array): BodyVariants {
  const text = decode(body);
  const marked = text?.startsWith(BOM) === true;
  const json = text === undefined ? undefined : tokenise(marked ? text.slice(1) : text);
  const complete = json === undefined || json.tokens.length <= MANY_TOKENS;
  const work = TOKEN_WORK * (json?.tokens.length ?? 0);
  const variants = [
    ...(text === undefined ? [] : textVariants(text)),
    ...(json === undefined ? [] : reprinted(json, marked, complete ? "all" : "common")),
    ...emptyVariants(),
    ...base64Variants(body, text),
    ...charsetVariants(body, text),
  ];
  variants.sort((a, b) => a.causes.length - b.causes.length || a.work - b.work);
  return { variants, complete, work };
}

/** The text of a body, byte order mark included; `undefined` where it is not UTF-8. */
export function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function reprinted(json: JsonTokens, marked: boolean, spellings: Spellings): readonly BodyVariant[] {
  const unmarked = marked ? [cause("byte_order_mark", "none where it was signed")] : [];
  const asIs = { causes: [], tail: json.tail };
  const data = memberOf(json, "data");
  const alone = { causes: [cause("body_data_only")], tail: "" };
  return [
    // A line break alone needs no printing: it is among the variants of the text.
    ...jsonVariants(json, [asIs, otherTail(asIs.tail)], spellings, unmarked).filter(({ causes }) => {
      return causes.length > 1 || causes[0]?.code !== "newline_at_end";
    }),
    ...(data === undefined ? [] : jsonVariants(data, [alone], "none")),
  ];
}

function textVariants(text: string): readonly BodyVariant[] {
  const marked = text.startsWith(BOM);
  const mark = cause("byte_order_mark", marked ? "none where it was signed" : "one where it was signed");
  return [
    ...newlines(text),
    variant([mark], () => (marked ? text.slice(1) : BOM + text)),
    ...stringVariants(text),
    ...formVariants(text),
  ];
}

/** How the JSON may have ended, where a line break is what differs. */
function otherTail(tail: string): { causes: readonly Cause[]; tail: string } {
  const detail = tail === "" ? "one where it was signed" : "none where it was signed";
  return { causes: [cause("newline_at_end", detail)], tail: tail === "" ? "\n" : "" };
}

function newlines(text: string): readonly BodyVariant[] {
  const made = (code: CauseCode, detail: string, make: () => string) =>
    variant([cause(code, detail)], () => {
      const changed = make();
      return changed === text ? undefined : changed;
    });
  return [
    made("newline_at_end", "one where it was signed", () => `${text}\n`),
    made("newline_at_end", "one where it was signed", () => `${text}\r\n`),
    made("newline_at_end", "none where it was signed", () => text.replace(/\r?\n$/, "")),
    made("newline_at_end", "none where it was signed", () => text.trimEnd()),
    made("line_endings", "LF where it was signed", () => text.replaceAll("\r\n", "\n")),
    made("line_endings", "CRLF where it was signed", () => text.replace(/\r?\n/g, "\r\n")),
    made("line_endings", "none where it was signed", () => text.replace(/[\r\n]+/g, "")),
  ];
}

function emptyVariants(): readonly BodyVariant[] {
  const names = ["{}", "[object Object]", "undefined", "null", '""'];
  return [
    variant([cause("body_empty")], () => ""),
    ...names.map((name) => variant([cause("body_placeholder", name)], () => name)),
  ];
}

function stringVariants(text: string): readonly BodyVariant[] {
  return [
    variant(
      [cause("body_string", "as a string where it was signed")],
      () => JSON.stringify(text),
      text.length * 4,
    ),
    variant(
      [cause("body_string", "as a string here")],
      () => {
        if (!/^\s*"/.test(text)) return undefined;
        try {
          const inside: unknown = JSON.parse(text);
          return typeof inside === "string" ? inside : undefined;
        } catch {
          return undefined;
        }
      },
      4,
    ),
  ];
}

function formVariants(text: string): readonly BodyVariant[] {
  const there = [cause("body_form", "as a form where it was signed")];
  const here = [cause("body_form", "as a form here")];
  const spaced = () => new URLSearchParams({ payload: text }).toString();
  const percent = () => encode(text);
  const work = text.length * 20;
  return [
    variant(there, spaced, work),
    variant(there, () => spaced().slice("payload=".length), work),
    variant(there, () => prefixed(percent()), work),
    variant(there, percent, work),
    variant(there, () => `payload=${text}`),
    variant(
      here,
      () => (/^payload=/.test(text) ? (new URLSearchParams(text).get("payload") ?? "") : undefined),
      work,
    ),
    variant(
      here,
      () => (/^[\w%.+*~!'()-]+=?$/.test(text) && text.includes("%") ? decodeForm(text) : undefined),
      work,
    ),
  ];
}

function prefixed(encoded: string | undefined): string | undefined {
  return encoded === undefined ? undefined : `payload=${encoded}`;
}

function encode(text: string): string | undefined {
  try {
    return encodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decodeForm(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " ").replace(/=$/, ""));
  } catch {
    return undefined;
  }
}

function base64Variants(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  const encoded = text !== undefined && /^[A-Za-z0-9+/]+={0,2}\s*$/.test(text);
  const there = [cause("body_base64", "in base64 where it was signed")];
  return [
    variant(there, () => Buffer.from(body).toString("base64")),
    ...(encoded
      ? [variant([cause("body_base64", "in base64 here")], () => Buffer.from(text, "base64"))]
      : []),
  ];
}
