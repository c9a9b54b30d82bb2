import { timingSafeEqual } from "node:crypto";
import type { HeaderBag } from "../header.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { bodyVariants, decode } from "./body-variants.ts";
import { type Cause, type CauseCode, cause } from "./causes.ts";
import { lostByteVariants } from "./charset-variants.ts";
import { nulVariants } from "./cut-variants.ts";
import type { DigestForm } from "./digest-form.ts";
import type { Keying } from "./keyings.ts";
import { lineVariants } from "./line-variants.ts";
import { schemeVariants } from "./scheme-variants.ts";

/** The work of a digest besides its bytes; hashing one byte is 1. */
const DIGEST_WORK = 4000;
/** The work to make one byte of a variant, and of one that is JSON printed again. */
const MAKING_WORK = 4;
const PRINTING_WORK = 25;
/**
 * The maximum work to read one byte of a body. If reading alone would use up the work, only the
 * body itself is tried, and with other ends.
 */
export const READING_WORK = 350;

/** A body with more causes than this is not tried with mistakes in the secret besides. */
export const MOST_WITH_SECRET = 2;

export interface SearchResult {
  /** Explanations of the signature: lists of causes that apply together, the shortest first. */
  readonly explanations: readonly (readonly Cause[])[];
  /** The bytes that were signed, according to the first explanation. */
  readonly signed?: Uint8Array;
  /** The number of digests compared. */
  readonly tried: number;
  /** Whether everything was tried; a large body leaves no work for rare combinations. */
  readonly complete: boolean;
}

export interface Searched {
  readonly body: Uint8Array;
  readonly forms: readonly DigestForm[];
  /** The secrets unchanged, and after common mistakes. */
  readonly plain: readonly Keying[];
  readonly mistaken: readonly Keying[];
  /** The delivery's headers and target, if known. */
  readonly headers?: HeaderBag | undefined;
  readonly target?: string | undefined;
  /**
   * The maximum number of bytes to hash, including the work to make variants. Unlike a time limit
   * it is deterministic.
   */
  readonly work: number;
}

export function search(searched: Searched): SearchResult {
  const { body, forms, plain, mistaken, headers, target, work: allowed } = searched;
  const walk = walkOver(forms, allowed);
  const asIs: BodyVariant = { causes: [], bytes: () => body, isPrinted: false };
  // Single mistakes come first, so that the work on a large body goes to what is likely.
  walk.visit([asIs], [...plain, ...mistaken]);
  if (!walk.hasHit())
    walk.visit([...nulVariants(body), ...schemeVariants(body, headers, target)], plain);
  if (walk.hasHit()) return walk.found();
  const small = body.byteLength * READING_WORK <= allowed;
  const found = small
    ? bodyVariants(body)
    : { variants: endVariants(body), complete: false, work: 0 };
  const { variants, complete, work } = found;
  walk.spend(work, complete);
  walk.visit(variants, plain);
  const simple = variants.filter(({ causes }) => causes.length <= MOST_WITH_SECRET);
  if (!walk.hasHit()) walk.visit(simple, mistaken);
  if (!walk.hasHit() && small) walk.visit(lostByteVariants(decode(body) ?? ""), plain);
  return walk.found();
}

/** Variants that need no JSON to be read, for a body that is too large for it. */
function endVariants(body: Uint8Array): readonly BodyVariant[] {
  const text = decode(body);
  return [
    variant([cause("body_empty")], () => ""),
    ...(text === undefined ? [] : lineVariants(text)),
  ];
}

function walkOver(forms: readonly DigestForm[], work: number) {
  const hits: { readonly causes: readonly Cause[]; readonly signed: Uint8Array }[] = [];
  const algorithms = new Set(forms.map(({ algorithm }) => algorithm));
  let tried = 0;
  let complete = true;
  let left = work;
  /**
   * The fewest causes in the body that explain the signature: bodies with more of them are not
   * tried.
   */
  let least = Number.POSITIVE_INFINITY;
  const compare = (bytes: Uint8Array, causes: readonly Cause[], keying: Keying) => {
    for (const algorithm of algorithms) {
      tried++;
      left -= DIGEST_WORK + bytes.byteLength;
      const digest = keying.digest(algorithm, bytes);
      for (const form of forms) {
        if (form.algorithm === algorithm && fits(digest, form)) {
          hits.push({ causes: together(causes, keying.causes, form.causes), signed: bytes });
          least = Math.min(least, causes.length);
        }
      }
    }
  };
  return {
    hasHit: () => hits.length > 0,
    /** Uses up work on finding bodies, of which some may be left out. */
    spend: (used: number, foundAll: boolean) => {
      left -= used;
      complete &&= foundAll;
    },
    /**
     * Tries every body with every keying until the work is used up. Keeps all matches, since
     * several causes may explain.
     */
    visit: (bodies: readonly BodyVariant[], keyings: readonly Keying[]) => {
      for (const { causes, bytes: make, isPrinted } of bodies) {
        if (causes.length > least) continue;
        const bytes = left < 0 ? undefined : make();
        if (left < 0) complete = false;
        if (bytes === undefined) continue;
        if (causes.length > 0) left -= bytes.byteLength * (isPrinted ? PRINTING_WORK : MAKING_WORK);
        for (const keying of keyings) {
          if (left < 0) complete = false;
          else compare(bytes, causes, keying);
        }
      }
    },
    found: (): SearchResult => {
      const sorted = hits.toSorted((a, b) => a.causes.length - b.causes.length);
      const kept: (readonly Cause[])[] = [];
      for (const { causes } of sorted)
        if (!kept.some((other) => explains(other, causes))) kept.push(causes);
      const [first] = sorted;
      return { explanations: kept, ...(first && { signed: first.signed }), tried, complete };
    },
  };
}

/**
 * Whether an explanation makes another one needless: the same codes, or fewer of them. Other
 * secrets are listed.
 */
function explains(a: readonly Cause[], b: readonly Cause[]): boolean {
  const isAmong = (code: CauseCode) => b.some((cause) => cause.code === code);
  if (!a.every(({ code }) => isAmong(code))) return isLines(a) && b.some(isSpacing);
  return a.every(({ code, detail }) => {
    return (
      code !== "secret_other" || b.some((cause) => cause.code === code && cause.detail === detail)
    );
  });
}

/**
 * Line breaks, and what an editor changes with them, explain a difference in white space better
 * than another style of JSON.
 */
function isLines(causes: readonly Cause[]): boolean {
  return causes.every(({ code }) =>
    ["line_endings", "newline_at_end", "byte_order_mark"].includes(code),
  );
}

function isSpacing({ code }: Cause): boolean {
  return code === "json_spacing";
}

/** Another scheme has its own prefix, which is no cause besides. */
function together(...parts: readonly (readonly Cause[])[]): readonly Cause[] {
  const causes = parts.flat();
  if (!causes.some(({ code }) => code === "other_scheme")) return causes;
  return causes.filter(({ code }) => !code.startsWith("prefix_"));
}

function fits(digest: string, { hex, print }: DigestForm): boolean {
  const printed = print === undefined ? digest.slice(0, hex.length) : print(digest);
  return printed.length === hex.length && timingSafeEqual(Buffer.from(printed), Buffer.from(hex));
}
