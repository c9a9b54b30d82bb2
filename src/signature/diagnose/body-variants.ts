import { type BodyVariant, variant } from "./body-variant.ts";
import { type Cause, type CauseCode, cause } from "./causes.ts";
import { charsetVariants } from "./charset-variants.ts";
import { compressedVariants } from "./compressed-variants.ts";
import { htmlVariants } from "./html-variants.ts";
import { type JsonTokens, memberOf, tokenise } from "./json-tokens.ts";
import { jsonVariants, type Spellings } from "./json-variants.ts";

const BOM = "\uFEFF";
/** JSON with more tokens than this is not printed in every way, since that takes too long. */
const MANY_TOKENS = 40_000;
/** The work to read and reprint one token; hashing one byte is 1. */
const TOKEN_WORK = 300;

/** The bodies that may have been signed instead of the received one. */
export interface BodyVariants {
  /** Variants with the fewest causes come first. */
  readonly variants: readonly BodyVariant[];
  /** Whether the body is small enough to try all variants. */
  readonly complete: boolean;
  /** The work spent on finding them; hashing one byte is 1. */
  readonly work: number;
}

/** Finds the bodies that may have been signed instead of this one. */
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
    ...compressedVariants(body),
  ];
  variants.sort((a, b) => a.causes.length - b.causes.length || a.work - b.work);
  return { variants, complete, work };
}

/** The text of a body, including a byte order mark; `undefined` if it is not UTF-8. */
export function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function reprinted(json: JsonTokens, marked: boolean, spellings: Spellings): readonly BodyVariant[] {
  const unmarked = marked ? [cause("byte_order_mark", "none on the signing side")] : [];
  const asIs = { causes: [], tail: json.tail };
  const data = memberOf(json, "data");
  const alone = { causes: [cause("body_data_only")], tail: "" };
  return [
    // A difference in the line break alone needs no reprinting: the text variants contain it.
    ...jsonVariants(json, [asIs, otherTail(asIs.tail)], spellings, unmarked).filter(({ causes }) => {
      return causes.length > 1 || causes[0]?.code !== "newline_at_end";
    }),
    ...(data === undefined ? [] : jsonVariants(data, [alone], "none")),
  ];
}

function textVariants(text: string): readonly BodyVariant[] {
  const marked = text.startsWith(BOM);
  const mark = cause("byte_order_mark", marked ? "none on the signing side" : "one on the signing side");
  return [
    ...newlines(text),
    variant([mark], () => (marked ? text.slice(1) : BOM + text)),
    ...stringVariants(text),
    ...formVariants(text),
    ...htmlVariants(text),
    ...unicodeForms(text),
  ];
}

/** The other end that the JSON may have had, if the line break differs. */
function otherTail(tail: string): { causes: readonly Cause[]; tail: string } {
  const detail = tail === "" ? "one on the signing side" : "none on the signing side";
  return { causes: [cause("newline_at_end", detail)], tail: tail === "" ? "\n" : "" };
}

function newlines(text: string): readonly BodyVariant[] {
  const made = (code: CauseCode, detail: string, make: () => string) =>
    variant([cause(code, detail)], () => {
      const changed = make();
      return changed === text ? undefined : changed;
    });
  // In a body of one line, the line break at the end is the only one: one cause, not two.
  const lines = /[\r\n]/.test(text.trimEnd());
  const ends = (detail: string): [CauseCode, string] => [lines ? "line_endings" : "newline_at_end", detail];
  return [
    made("newline_at_end", "one on the signing side", () => `${text}\n`),
    made("newline_at_end", "one on the signing side", () => `${text}\r\n`),
    made("newline_at_end", "none on the signing side", () => text.replace(/\r?\n$/, "")),
    made("newline_at_end", "none on the signing side", () => text.trimEnd()),
    made(...ends("LF on the signing side"), () => text.replaceAll("\r\n", "\n")),
    made(...ends("CRLF on the signing side"), () => text.replace(/\r?\n/g, "\r\n")),
    ...(lines ? [made("line_endings", "none on the signing side", () => text.replace(/[\r\n]+/g, ""))] : []),
  ];
}

/** The same characters, composed (as most systems write them) or decomposed (as macOS names files). */
function unicodeForms(text: string): readonly BodyVariant[] {
  return (["NFC", "NFD"] as const).map((form) => {
    const make = () => {
      const made = text.normalize(form);
      return made === text ? undefined : made;
    };
    return variant([cause("unicode_form", `${form} on the signing side`)], make, text.length * 20);
  });
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
      [cause("body_string", "as a string on the signing side")],
      () => JSON.stringify(text),
      text.length * 4,
    ),
    variant(
      [cause("body_string", "as a string on this side")],
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
  const there = [cause("body_form", "as a form on the signing side")];
  const here = [cause("body_form", "as a form on this side")];
  const spaced = () => new URLSearchParams({ payload: text }).toString();
  const percent = () => encode(text);
  const work = text.length * 20;
  return [
    variant(there, spaced, work),
    variant(there, () => spaced().slice("payload=".length), work),
    variant(there, () => prefixed(percent()), work),
    variant(there, percent, work),
    variant(there, () => uri(text), work),
    variant(there, () => percent()?.replace(/[!'()*]/g, hexOf), work),
    variant(
      there,
      () => percent()?.replace(/[!'()*]|%2F/g, (found) => (found === "%2F" ? "/" : hexOf(found))),
      work,
    ),
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
    variant(here, () => (/^%(?:7B|5B|22)[^\s"]*$/i.test(text) ? decodePercent(text) : undefined), work),
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

function uri(text: string): string | undefined {
  try {
    return encodeURI(text);
  } catch {
    return undefined;
  }
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function decodeForm(text: string): string | undefined {
  return decodePercent(text.replaceAll("+", " ").replace(/=$/, ""));
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function base64Variants(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  const encoded = text !== undefined && /^[A-Za-z0-9+/]+={0,2}\s*$/.test(text);
  const there = [cause("body_base64", "in base64 on the signing side")];
  return [
    variant(there, () => Buffer.from(body).toString("base64")),
    ...(encoded
      ? [variant([cause("body_base64", "in base64 on this side")], () => Buffer.from(text, "base64"))]
      : []),
  ];
}
