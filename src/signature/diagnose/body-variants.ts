import { gunzipSync } from "node:zlib";
import { tryOr } from "../../base/try-or.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { inOrder, MANY_TOKENS, TOKEN_WORK } from "./budget.ts";
import { type Cause, cause } from "./causes.ts";
import { charsetVariants } from "./charset-variants.ts";
import { compressedVariants } from "./compressed-variants.ts";
import { cutVariants } from "./cut-variants.ts";
import { dumpVariants } from "./dumps.ts";
import { formVariants } from "./form-variants.ts";
import { htmlVariants } from "./html-variants.ts";
import { printSpaced, printWithOriginalSpacing, SPACING } from "./json-spacing.ts";
import { type JsonTokens, memberOf, tokenise } from "./json-tokens.ts";
import { type Extent, jsonVariants } from "./json-variants.ts";
import { lineVariants } from "./line-variants.ts";
import { jsonOfNative, nativeVariants } from "./native-printing.ts";
import { insideJson, textAround } from "./wrapped-variants.ts";

const BOM = "\uFEFF";
/** A longer text that is no JSON is not read as a language shows it. */
const LONGEST_NATIVE = 8000;
/**
 * A compressed body may expand to this many times its length, so that a small one cannot fill the
 * memory.
 */
const MOST_GROWTH = 20;
const LEAST_LIMIT = 65_536;

/**
 * Finds the bodies that may have been signed instead of this one, those with the fewest causes
 * first. Returns as well whether it is small enough to try all of them, and the work spent on
 * finding them; hashing one byte is 1.
 */
export function bodyVariants(body: Uint8Array) {
  const text = decode(body);
  const marked = text?.startsWith(BOM) === true;
  const json = text === undefined ? undefined : tokenise(marked ? text.slice(1) : text);
  const complete = json === undefined || json.tokens.length <= MANY_TOKENS;
  const work = TOKEN_WORK * (json?.tokens.length ?? 0);
  const variants = [
    ...(text === undefined ? [] : textVariants(text)),
    ...(json === undefined ? [] : reprinted(json, marked, complete ? "all" : "libraries")),
    ...(json === undefined ? [] : nativeVariants(json)),
    ...(json === undefined ? [] : unwrapped(json)),
    ...(json === undefined || text === undefined ? [] : rejoined(json, text)),
    ...(json === undefined && text !== undefined ? fromNative(text) : []),
    ...emptyVariants(),
    ...base64Variants(body, text),
    ...charsetVariants(body, text),
    ...cutVariants(body, text),
    ...compressed(body),
  ];
  return { variants: inOrder(variants, complete), complete, work };
}

/**
 * Bodies that rarer mistakes make of a signed one, tried if no common one explains it: wrapped,
 * dumped, compressed on the other side, or encoded in other ways.
 */
export function rareBodyVariants(body: Uint8Array): readonly BodyVariant[] {
  const text = decode(body);
  const json = text === undefined ? undefined : tokenise(text);
  return [
    ...(json === undefined ? [] : insideJson(json)),
    ...(text === undefined ? [] : textAround(text)),
    ...moreBase64(body, text),
    ...dumpVariants(body, text),
    ...compressedVariants(body, text !== undefined),
  ];
}

/** The text of a body, including a byte order mark; `undefined` if it is not UTF-8. */
export function decode(body: Uint8Array): string | undefined {
  return tryOr(
    () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body),
    undefined,
  );
}

function reprinted(json: JsonTokens, marked: boolean, extent: Extent): readonly BodyVariant[] {
  const unmarked = marked ? [cause("byte_order_mark", "none on the signing side")] : [];
  const asIs = { causes: [], tail: json.tail };
  const data = memberOf(json, "data");
  const alone = [cause("body_data_only")];
  return [
    // A difference in the line break alone needs no reprinting: the text variants contain it.
    ...jsonVariants(json, [asIs, otherTail(asIs.tail)], extent, unmarked).filter(({ causes }) => {
      return causes.length > 1 || causes[0]?.code !== "newline_at_end";
    }),
    ...(data === undefined
      ? []
      : [
          variant(alone, () => printWithOriginalSpacing(data.tokens, data)),
          ...jsonVariants(data, [{ causes: alone, tail: "" }], "libraries"),
        ]),
  ];
}

/**
 * The JSON that a language shows in its own way here. Its numbers are JSON, and their spelling may
 * differ, too.
 */
function fromNative(text: string): readonly BodyVariant[] {
  const native = text.length > LONGEST_NATIVE ? undefined : jsonOfNative(text);
  const json = native === undefined ? undefined : tokenise(native.json);
  if (native === undefined || json === undefined) return [];
  const shown = cause("body_not_json", native.name);
  const asIs = { causes: [], tail: "" };
  return jsonVariants(json, [asIs], "libraries", [shown]).map((variant) => ({
    ...variant,
    causes: variant.causes.filter(({ code }) => code !== "json_spacing"),
  }));
}

function textVariants(text: string): readonly BodyVariant[] {
  return [
    ...lineVariants(text),
    ...trimmed(text),
    ...joined(text),
    ...stringVariants(text),
    ...formVariants(text),
    ...htmlVariants(text),
    ...unicodeForms(text),
  ];
}

/**
 * Indented JSON whose line breaks were removed on the way, as `curl --data @file` does: the indents
 * are left.
 */
function rejoined(json: JsonTokens, text: string): readonly BodyVariant[] {
  if (!/^\s*[{[](?: {2}|\t)/.test(text) || /[\r\n]/.test(text)) return [];
  const removed = [cause("line_endings", "removed on the way here")];
  return [SPACING.two, SPACING.four, SPACING.tab].flatMap((spacing) => {
    const printed = printSpaced(json.tokens, spacing, 2 * text.length);
    if (printed?.replaceAll("\n", "") !== text) return [];
    const ends = ["", "\n"].flatMap((end) => [
      printed + end,
      (printed + end).replaceAll("\n", "\r\n"),
    ]);
    return ends.map((end) => variant(removed, () => end));
  });
}

/** The other end that the JSON may have had, if the line break differs. */
function otherTail(tail: string): { causes: readonly Cause[]; tail: string } {
  const detail = tail === "" ? "one on the signing side" : "none on the signing side";
  return { causes: [cause("newline_at_end", detail)], tail: tail === "" ? "\n" : "" };
}

/** Without the white space around it, if that is more than line breaks at the end. */
function trimmed(text: string): readonly BodyVariant[] {
  // `trim` would take a byte order mark for white space, and an expression for the end is slow on
  // long white space.
  const start = text.search(/[^ \t\r\n]/);
  const made = text.slice(Math.max(start, 0)).trimEnd();
  if (start <= 0 && !/[ \t][\r\n]*$/.test(text.slice(-100))) return [];
  return [
    variant([cause("newline_at_end", "no white space around it on the signing side")], () => made),
  ];
}

/**
 * With one space for each run of white space, as a shell passes on what is not quoted, and `echo`
 * ends it.
 */
function joined(text: string): readonly BodyVariant[] {
  // An expression for the white space at both ends takes quadratic time.
  const inner = text.trim();
  const words = inner.replace(/[ \t\r\n]+/g, " ");
  if (words === inner) return [];
  const lead = text.trimStart() === text ? "" : " ";
  const tail = text.trimEnd() === text ? "" : " ";
  return [
    variant([cause("white_space")], () => lead + words + tail),
    variant([cause("white_space")], () => words),
    variant([cause("white_space", "as `echo $BODY` prints it without quotes")], () => `${words}\n`),
  ];
}

/**
 * The same characters, composed (as most systems write them) or decomposed (as macOS names files).
 */
function unicodeForms(text: string): readonly BodyVariant[] {
  return (["NFC", "NFD"] as const).map((form) => {
    const make = () => {
      const made = text.normalize(form);
      return made === text ? undefined : made;
    };
    return variant([cause("unicode_form", `${form} on the signing side`)], make);
  });
}

function emptyVariants(): readonly BodyVariant[] {
  const names = ["{}", "[object Object]", "undefined", "null", '""', "Array"];
  return [
    variant([cause("body_empty")], () => ""),
    ...names.map((name) => variant([cause("body_placeholder", name)], () => name)),
  ];
}

function stringVariants(text: string): readonly BodyVariant[] {
  return [
    variant([cause("body_string", "as a string on the signing side")], () => JSON.stringify(text)),
    variant([cause("body_string", "as a string on this side")], () => {
      if (!/^\s*"/.test(text)) return undefined;
      return tryOr(() => {
        const inside: unknown = JSON.parse(text);
        return typeof inside === "string" ? inside : undefined;
      }, undefined);
    }),
  ];
}

/**
 * The members in which queues and gateways put a body, such as Amazon SNS, SQS, EventBridge and API
 * Gateway.
 */
const WRAPPINGS = ["Message", "message", "body", "Body", "payload", "detail"];

/** The body within a wrapping, as text, as base64 or as JSON. */
function unwrapped(json: JsonTokens): readonly BodyVariant[] {
  return WRAPPINGS.flatMap((name) => {
    const member = memberOf(json, name);
    if (member === undefined) return [];
    const [token = ""] = member.tokens;
    const inside: unknown = token.startsWith('"') ? JSON.parse(token) : undefined;
    const why = [cause("body_wrapped", `in \`${name}\``)];
    if (typeof inside !== "string")
      return [variant(why, () => printWithOriginalSpacing(member.tokens, member))];
    const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(inside);
    return [
      variant(why, () => inside),
      ...(isBase64 ? [variant(why, () => Buffer.from(inside, "base64"))] : []),
    ];
  });
}

function base64Variants(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  const encoded = text !== undefined && /^[A-Za-z0-9+/]+={0,2}\s*$/.test(text);
  const there = [cause("body_base64", "in base64 on the signing side")];
  return [
    variant(there, () => Buffer.from(body).toString("base64")),
    ...(encoded
      ? [
          variant([cause("body_base64", "in base64 on this side")], () =>
            Buffer.from(text, "base64"),
          ),
        ]
      : []),
  ];
}

/** In base64 with line breaks, in its other alphabet, or twice. */
function moreBase64(body: Uint8Array, text: string | undefined): readonly BodyVariant[] {
  const there = [cause("body_base64", "in base64 on the signing side")];
  const here = [cause("body_base64", "in base64 on this side")];
  const base64 = () => Buffer.from(body).toString("base64");
  const lines = () => base64().replace(/.{76}(?=.)/g, "$&\n");
  const signed = [
    variant(there, () => Buffer.from(body).toString("base64url")),
    variant(there, () => `${base64()}\n`),
    variant(there, lines),
    variant(there, () => `${lines()}\n`),
    variant(there, () => Buffer.from(base64()).toString("base64")),
  ];
  if (text === undefined || !/^["\w+/=\s-]*$/.test(text)) return signed;
  const once = () => Buffer.from(text.replace(/["\s]/g, ""), "base64");
  const twice = () => Buffer.from(once().toString("latin1"), "base64");
  return [...signed, variant(here, once), variant(here, twice)];
}

/**
 * The body before it was compressed. How it would be compressed again differs between programs, so
 * that is not tried.
 */
function compressed(body: Uint8Array): readonly BodyVariant[] {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return [];
  const limit = { maxOutputLength: Math.max(LEAST_LIMIT, MOST_GROWTH * body.byteLength) };
  return [
    variant([cause("body_compressed", "gzip")], () =>
      tryOr(() => gunzipSync(body, limit), undefined),
    ),
  ];
}
