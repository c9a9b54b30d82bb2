import { timingSafeEqual } from "node:crypto";
import { once } from "../../base/once.ts";
import type { HeaderBag } from "../header.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { bodyVariants, decode } from "./body-variants.ts";
import { Budget, DIGEST_WORK, MAKING_WORK, MOST_WITH_SECRET, READING_WORK } from "./budget.ts";
import { type Cause, type CauseCode, cause, isAboutPrefix } from "./causes.ts";
import { lostByteVariants } from "./charset-variants.ts";
import { nulVariants } from "./cut-variants.ts";
import type { DigestForm } from "./digest-form.ts";
import type { Keying } from "./keyings.ts";
import { lineVariants } from "./line-variants.ts";
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
  /** The delivery's headers and target, if known. */
  readonly headers?: HeaderBag | undefined;
  readonly target?: string | undefined;
  /** The maximum work: see `budget.ts`. */
  readonly work: number;
}

/** Bodies to try, each with each of the keyings. */
interface Stage {
  readonly bodies: () => readonly BodyVariant[];
  readonly keyings: readonly Keying[];
}

/** Tries one stage after another, until one explains the signature. */
export function search(searched: Searched): SearchResult {
  const { body, forms, plain, mistaken, headers, target, work } = searched;
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
  // Single mistakes come first, so that the work on a large body goes to what is likely.
  const stages: readonly Stage[] = [
    { bodies: () => [asIs], keyings: [...plain, ...mistaken] },
    {
      bodies: () => [...nulVariants(body), ...schemeVariants(body, headers, target)],
      keyings: plain,
    },
    { bodies: variants, keyings: plain },
    {
      bodies: () => variants().filter(({ causes }) => causes.length <= MOST_WITH_SECRET),
      keyings: mistaken,
    },
    { bodies: () => (isSmall ? lostByteVariants(decode(body) ?? "") : []), keyings: plain },
  ];
  for (const { bodies, keyings } of stages) {
    if (walk.hasHit()) break;
    walk.visit(bodies(), keyings);
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

function walkOver(forms: readonly DigestForm[], budget: Budget) {
  const hits: { readonly causes: readonly Cause[]; readonly signed: Uint8Array }[] = [];
  const algorithms = new Set(forms.map(({ algorithm }) => algorithm));
  let tried = 0;
  /**
   * The fewest causes in the body that explain the signature: bodies with more of them are not
   * tried.
   */
  let least = Number.POSITIVE_INFINITY;
  const compare = (bytes: Uint8Array, causes: readonly Cause[], keying: Keying) => {
    for (const algorithm of algorithms) {
      tried++;
      budget.spend(DIGEST_WORK + bytes.byteLength);
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
    /**
     * Tries every body with every keying until the work is used up. Keeps all matches, since
     * several causes may explain.
     */
    visit: (bodies: readonly BodyVariant[], keyings: readonly Keying[]) => {
      for (const { causes, cost, bytes: make } of bodies) {
        if (causes.length > least) continue;
        const bytes = budget.hasWork() ? make() : undefined;
        if (bytes === undefined) continue;
        budget.spend(bytes.byteLength * MAKING_WORK[cost]);
        for (const keying of keyings) if (budget.hasWork()) compare(bytes, causes, keying);
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
