import { timingSafeEqual } from "node:crypto";
import type { HeaderBag } from "../header.ts";
import type { BodyVariant } from "./body-variant.ts";
import { type BodyVariants, bodyVariants, decode } from "./body-variants.ts";
import type { Cause } from "./causes.ts";
import { lostByteVariants } from "./charset-variants.ts";
import { cheapVariants } from "./cheap-variants.ts";
import type { HeaderForm } from "./header-form.ts";
import type { Keying } from "./keyings.ts";
import { timestampVariants } from "./timestamp-variants.ts";

/** The work of a digest besides its bytes; hashing one byte is 1. */
const DIGEST_WORK = 4000;
/** The maximum work to read one byte of a body. If reading alone would use up the work, only the body itself and cheap variants are tried. */
const READING_WORK = 350;

/** What is tried of a body that is too large to read. */
function unread(body: Uint8Array): BodyVariants {
  return { variants: cheapVariants(body), complete: false, work: 0 };
}

/** The result of a search. */
export interface Found {
  /** Explanations of the signature: lists of causes that apply together, the shortest first. */
  readonly explanations: readonly (readonly Cause[])[];
  /** The number of digests compared. */
  readonly tried: number;
  /** Whether everything was tried; a large body leaves no work for rare combinations. */
  readonly complete: boolean;
}

/** The input of a search. */
export interface Searched {
  readonly body: Uint8Array;
  readonly forms: readonly HeaderForm[];
  /** The secrets unchanged, and after common mistakes. */
  readonly plain: readonly Keying[];
  readonly mistaken: readonly Keying[];
  /** The delivery's headers, if known. */
  readonly headers?: HeaderBag;
  /** The maximum number of bytes to hash, including the work to make variants. Unlike a time limit it is deterministic. */
  readonly work: number;
}

/** Searches for the body, secret and form that the signature belongs to. */
export function search({ body, forms, plain, mistaken, headers, work: allowed }: Searched): Found {
  const walk = new Walk(forms, allowed);
  const asIs: BodyVariant = { causes: [], bytes: () => body, work: 0 };
  // Single mistakes come first, so that the work on a large body goes to what is likely.
  walk.visit([asIs], [...plain, ...mistaken]);
  if (walk.hits.length === 0) walk.visit(timestampVariants(body, headers), plain);
  if (walk.hits.length > 0) return walk.found();
  const small = body.byteLength * READING_WORK <= allowed;
  const { variants: varied, complete, work } = small ? bodyVariants(body) : unread(body);
  walk.complete &&= complete;
  walk.spend(work);
  walk.visit(varied, plain);
  if (walk.hits.length === 0) walk.visit(varied, mistaken);
  if (walk.hits.length === 0 && small) walk.visit(lostByteVariants(decode(body) ?? ""), plain);
  return walk.found();
}

class Walk {
  readonly hits: (readonly Cause[])[] = [];
  complete = true;
  readonly #forms: readonly HeaderForm[];
  #tried = 0;
  #left: number;

  constructor(forms: readonly HeaderForm[], work: number) {
    this.#forms = forms;
    this.#left = work;
  }

  /** Uses up work. */
  spend(work: number): void {
    this.#left -= work;
  }

  /** Tries every body with every keying until the work is used up. Keeps all matches, since several causes may explain. */
  visit(bodies: readonly BodyVariant[], keyings: readonly Keying[]): void {
    for (const { causes, bytes: make, work } of bodies) {
      const bytes = this.#left < 0 ? undefined : make();
      if (this.#left < 0) this.complete = false;
      if (bytes === undefined) continue;
      this.spend(work);
      for (const keying of keyings) {
        if (this.#left < 0) this.complete = false;
        else this.#compare(bytes, causes, keying);
      }
    }
  }

  #compare(bytes: Uint8Array, causes: readonly Cause[], keying: Keying): void {
    for (const algorithm of new Set(this.#forms.map((form) => form.algorithm))) {
      this.#tried++;
      this.spend(DIGEST_WORK + bytes.byteLength);
      const digest = keying.digest(algorithm, bytes);
      for (const form of this.#forms) {
        if (form.algorithm === algorithm && fits(digest, form))
          this.hits.push(together(causes, keying.causes, form.causes));
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

/** Another scheme has its own prefix, which is no cause besides. */
function together(...parts: readonly (readonly Cause[])[]): readonly Cause[] {
  const causes = parts.flat();
  if (!causes.some(({ code }) => code === "other_scheme")) return causes;
  return causes.filter(({ code }) => !code.startsWith("prefix_"));
}

function fits(digest: string, { hex, print }: HeaderForm): boolean {
  const printed = print === undefined ? digest.slice(0, hex.length) : print(digest);
  return printed.length === hex.length && timingSafeEqual(Buffer.from(printed), Buffer.from(hex));
}
