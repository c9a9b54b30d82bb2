import { timingSafeEqual } from "node:crypto";
import { once } from "../../base/once.ts";
import type { HeaderBag } from "../header.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { bodyVariants, decode, rareBodyVariants } from "./body-variants.ts";
import { Budget, DIGEST_WORK, MAKING_WORK, MOST_WITH_SECRET, READING_WORK } from "./budget.ts";
import { type Cause, type CauseCode, cause, isAboutPrefix } from "./causes.ts";
import { lostByteVariants } from "./charset-variants.ts";
import { nulVariants } from "./cut-variants.ts";
import { type Algorithm, type DigestForm, rareForms } from "./digest-form.ts";
import type { Keying } from "./keyings.ts";
import { lineVariants } from "./line-variants.ts";
import { rareSchemes } from "./rare-schemes.ts";
import { schemeVariants } from "./scheme-variants.ts";

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
  /**
   * The secrets after rarer damage, tried with the body as it is alone. Without them, nothing rare
   * is tried.
   */
  readonly rare?: readonly Keying[];
  /** The delivery's headers and target, if known. */
  readonly headers?: HeaderBag | undefined;
  readonly target?: string | undefined;
  /** The maximum work: see `budget.ts`. */
  readonly work: number;
}

/** What may be done to the secret of another service's scheme. */
const OF_SCHEMES: ReadonlySet<CauseCode> = new Set([
  "secret_base64",
  "secret_hex",
  "digest_without_hmac",
]);

/** A stage of what is rare gets this part of the work at most. */
const RARE_SHARE = 8;

/** Bodies to try, each with each of the keyings. */
interface Stage {
  readonly bodies: () => readonly BodyVariant[];
  readonly keyings: readonly Keying[];
  /** Whether it is rare: it gets a part of the work, and forms that are rare, too. */
  readonly isRare?: boolean;
}

/** Tries one stage after another, until one explains the signature. */
export function search(searched: Searched): SearchResult {
  const { body, forms, plain, mistaken, rare = [], headers, target, work } = searched;
  const budget = new Budget(work);
  const walk = walkOver(forms, budget);
  const isSmall = body.byteLength * READING_WORK <= work;
  const variants = once(() => {
    const found = isSmall
      ? bodyVariants(body)
      : { variants: endVariants(body), complete: false, work: 0 };
    budget.spend(found.work);
    budget.isComplete &&= found.complete;
    return found.variants;
  });
  const asIs: BodyVariant = { causes: [], cost: "received", bytes: () => body };
  const schemes = () => schemeVariants(body, headers, target);
  // Other services encode their secrets, or hash them with what they sign.
  const decoded = mistaken.filter(({ causes }) => causes.some(({ code }) => OF_SCHEMES.has(code)));
  const rareOnes = once(() => rareSchemes(body, headers, target));
  const own = plain.filter(({ causes }) => causes.length === 0);
  // Single mistakes come first, so that the work on a large body goes to what is likely.
  const stages: readonly Stage[] = [
    { bodies: () => [asIs], keyings: [...plain, ...mistaken] },
    { bodies: () => [asIs], keyings: [...plain, ...rare], isRare: true },
    { bodies: () => [...nulVariants(body), ...schemes()], keyings: plain },
    { bodies: schemes, keyings: decoded, isRare: true },
    { bodies: variants, keyings: plain },
    {
      bodies: () => (isSmall ? rareBodyVariants(body) : []),
      keyings: plain,
      isRare: true,
    },
    { bodies: rareOnes, keyings: own, isRare: true },
    { bodies: rareOnes, keyings: decoded, isRare: true },
    {
      bodies: () => variants().filter(({ causes }) => causes.length <= MOST_WITH_SECRET),
      keyings: mistaken,
    },
    { bodies: () => (isSmall ? lostByteVariants(decode(body) ?? "") : []), keyings: plain },
  ];
  for (const { bodies, keyings, isRare = false } of stages) {
    if (walk.hasHit()) break;
    if (isRare && searched.rare === undefined) continue;
    if (isRare) budget.within(work / RARE_SHARE, () => walk.visit(bodies(), keyings, true));
    else walk.visit(bodies(), keyings);
  }
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

/** Forms by the hash function that makes their digest. */
type FormsOf = ReadonlyMap<Algorithm, readonly DigestForm[]>;

function byAlgorithm(forms: readonly DigestForm[]): FormsOf {
  const names = new Set(forms.map(({ algorithm }) => algorithm));
  const of = (name: Algorithm) => forms.filter(({ algorithm }) => algorithm === name);
  return new Map(Array.from(names, (name) => [name, of(name)]));
}

function walkOver(forms: readonly DigestForm[], budget: Budget) {
  const hits: { readonly causes: readonly Cause[]; readonly signed: Uint8Array }[] = [];
  const usual = byAlgorithm(forms);
  const all = byAlgorithm([...forms, ...forms.flatMap(rareForms)]);
  let tried = 0;
  /**
   * The fewest causes in the body that explain the signature: bodies with more of them are not
   * tried.
   */
  let least = Number.POSITIVE_INFINITY;
  const compare = (
    bytes: Uint8Array,
    causes: readonly Cause[],
    keying: Keying,
    formsOf: FormsOf,
  ) => {
    for (const [algorithm, forms] of formsOf) {
      tried++;
      budget.spend(DIGEST_WORK + bytes.byteLength);
      const digest = keying.digest(algorithm, bytes);
      for (const form of forms) {
        if (!fits(digest, form)) continue;
        hits.push({ causes: together(causes, keying.causes, form.causes), signed: bytes });
        least = Math.min(least, causes.length);
      }
    }
  };
  return {
    hasHit: () => hits.length > 0,
    /**
     * Tries every body with every keying until the work is used up. Keeps all matches, since
     * several causes may explain.
     */
    visit: (bodies: readonly BodyVariant[], keyings: readonly Keying[], isRare = false) => {
      const formsOf = isRare ? all : usual;
      for (const { causes, cost, bytes: make } of bodies) {
        if (causes.length > least) continue;
        const bytes = budget.hasWork() ? make() : undefined;
        if (bytes === undefined) continue;
        budget.spend(bytes.byteLength * MAKING_WORK[cost]);
        for (const keying of keyings) if (budget.hasWork()) compare(bytes, causes, keying, formsOf);
      }
    },
    found: (): SearchResult => {
      const sorted = hits.toSorted((a, b) => a.causes.length - b.causes.length);
      const kept: (readonly Cause[])[] = [];
      for (const { causes } of sorted)
        if (!kept.some((other) => explains(other, causes))) kept.push(causes);
      const [first] = sorted;
      const { isComplete: complete } = budget;
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
  return causes.filter(({ code }) => !isAboutPrefix(code));
}

function fits(digest: string, { hex, print }: DigestForm): boolean {
  const printed = print === undefined ? digest.slice(0, hex.length) : print(digest);
  return printed.length === hex.length && timingSafeEqual(Buffer.from(printed), Buffer.from(hex));
}
