import { timingSafeEqual } from "node:crypto";
import type { Secret } from "../secrets.ts";
import type { BodyVariant } from "./body-variant.ts";
import { type BodyVariants, bodyVariants, decode } from "./body-variants.ts";
import type { Cause } from "./causes.ts";
import { lostByteVariants } from "./charset-variants.ts";
import type { HeaderForm } from "./header-form.ts";
import { type Keying, mistakenKeyings, type NamedSecret, plainKeyings } from "./keyings.ts";

/** Bodies longer than this are taken as they are: only secrets and forms are looked into. */
const LONGEST_VARIED = 2 * 1024 * 1024;
/** Bytes that may be hashed in one search; making a variant counts too. A bound that no clock moves. */
const WORK = 7e8;

const NOT_VARIED: BodyVariants = { variants: [], complete: false, work: 0 };

/** What a search came to. */
export interface Found {
  /** Each is one way to explain the signature: causes that together lead to it; the fewest first. */
  readonly explanations: readonly (readonly Cause[])[];
  /** Digests that were compared. */
  readonly tried: number;
  /** Whether everything was tried; a large body leaves no time for the rarer combinations. */
  readonly complete: boolean;
}

/** Looks for the body, secret and form that the signature belongs to. */
export function search(
  body: Uint8Array,
  forms: readonly HeaderForm[],
  secrets: readonly Secret[],
  others: readonly NamedSecret[],
): Found {
  const walk = new Walk(forms);
  const plain = plainKeyings(secrets, others);
  const mistaken = mistakenKeyings(secrets);
  const asIs: BodyVariant = { causes: [], bytes: () => body, work: 0 };
  // One thing at a time comes first, so that a large body's work goes to what is likely.
  walk.visit([asIs], [...plain, ...mistaken]);
  if (walk.hits.length > 0) return walk.found();
  const small = body.byteLength <= LONGEST_VARIED;
  const { variants: varied, complete, work } = small ? bodyVariants(body) : NOT_VARIED;
  walk.complete &&= complete;
  walk.spend(work);
  walk.visit(varied, plain);
  if (walk.hits.length === 0) walk.visit(varied, mistaken);
  if (walk.hits.length === 0) walk.visit(lostByteVariants(decode(body) ?? ""), plain);
  return walk.found();
}

class Walk {
  readonly hits: (readonly Cause[])[] = [];
  complete = true;
  readonly #forms: readonly HeaderForm[];
  #tried = 0;
  #work = 0;

  constructor(forms: readonly HeaderForm[]) {
    this.#forms = forms;
  }

  /** Takes from what may be done. */
  spend(work: number): void {
    this.#work += work;
  }

  /** Tries every body with every keying, until the work is used up. All that fit are kept: several causes may explain. */
  visit(bodies: readonly BodyVariant[], keyings: readonly Keying[]): void {
    for (const { causes, bytes: make, work } of bodies) {
      const bytes = this.#work > WORK ? undefined : make();
      if (this.#work > WORK) this.complete = false;
      if (bytes === undefined) continue;
      this.#work += work;
      for (const keying of keyings) {
        if (this.#work > WORK) this.complete = false;
        else this.#compare(bytes, causes, keying);
      }
    }
  }

  #compare(bytes: Uint8Array, causes: readonly Cause[], keying: Keying): void {
    for (const algorithm of new Set(this.#forms.map((form) => form.algorithm))) {
      this.#tried++;
      this.#work += bytes.byteLength;
      const digest = keying.digest(algorithm, bytes);
      for (const form of this.#forms) {
        if (form.algorithm === algorithm && begins(digest, form.hex))
          this.hits.push([...causes, ...keying.causes, ...form.causes]);
      }
    }
  }

  found(): Found {
    const sorted = [...this.hits].sort((a, b) => a.length - b.length);
    const names = sorted.map((causes) => causes.map(({ code, detail }) => `${code} ${detail}`).join());
    const explanations = sorted.filter((_, index) => names.indexOf(names[index] ?? "") === index);
    return { explanations, tried: this.#tried, complete: this.complete };
  }
}

function begins(digest: string, hex: string): boolean {
  return timingSafeEqual(Buffer.from(digest.slice(0, hex.length)), Buffer.from(hex));
}
