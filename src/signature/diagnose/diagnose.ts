import { timingSafeEqual } from "node:crypto";
import { type HeaderBag, headerEntries } from "../header.ts";
import type { Secret } from "../secrets.ts";
import { sign } from "../sign.ts";
import { verify } from "../verify.ts";
import { adviceFor } from "./advice.ts";
import { WORK } from "./budget.ts";
import { type Cause, type CauseCode, cause, isAboutJson } from "./causes.ts";
import { readForms } from "./header-form.ts";
import { printersOf } from "./json-libraries.ts";
import { mistakenKeyings, type NamedSecret, plainKeyings } from "./keyings.ts";
import { rareKeyings } from "./rare-keyings.ts";
import { search } from "./search.ts";

/** Why a signature does not match. Contains no secret, no digest and nothing from the body. */
export interface Diagnosis {
  /** The first cause of the simplest explanation; `valid`, or `unexplained` if there is none. */
  readonly code: CauseCode;
  readonly meaning: string;
  readonly fix: string;
  /**
   * The explanations, those with the fewest causes first. All causes of one explanation apply
   * together.
   */
  readonly explanations: readonly (readonly Cause[])[];
  /**
   * What prints the JSON here as it was signed, most common first: at most 3 functions of
   * libraries.
   */
  readonly printedBy: readonly string[];
  /** What to try, in order, if nothing explains it. */
  readonly advice: readonly string[];
  /** The number of digests compared. */
  readonly tried: number;
  /** Whether every combination was tried; for a large body, rare ones are skipped. */
  readonly complete: boolean;
}

/** What a diagnosis may use besides the body, the header and the secrets. */
export interface DiagnoseOptions {
  /**
   * Secrets set elsewhere on this machine that may have been used by mistake. At most 16 are tried.
   */
  readonly others?: readonly NamedSecret[] | undefined;
  /**
   * The delivery's headers, to find the signature under another name, and a timestamp that was
   * signed too.
   */
  readonly headers?: HeaderBag | undefined;
  /** The delivery's target, such as `/webhooks`, to find a URL that was signed too. */
  readonly target?: string | undefined;
  /** The maximum work, in bytes hashed. Default 700 million, about a second. */
  readonly work?: number | undefined;
}

/** More explanations than this would only confuse. */
const MOST_EXPLANATIONS = 5;
/** A larger body is not printed as each library does, only to name them. */
const LARGEST_REPRINTED = 65_536;

/**
 * Finds out why a signature does not match: which common mistakes in the body, the secret or the
 * header turn a valid signature into this one. Tries the mistakes of `CAUSES`, up to one of each
 * part together. A cause is proven by the digest, not guessed. Runs in the thread that calls it, in
 * time proportional to the length of the body: milliseconds for most, one to two seconds for 1 MiB.
 * So call it only if a person reads the result, and in a worker thread if other requests must not
 * wait. Never send the result to the sender.
 */
export function diagnoseSignature(
  body: Uint8Array,
  header: string | readonly string[] | undefined,
  secrets: readonly Secret[],
  { others = [], headers, target, work = WORK }: DiagnoseOptions = {},
): Diagnosis {
  const verified = verify(body, header, secrets);
  if (verified.ok) return certain(cause("valid"));
  if (verified.reason === "signature_missing" || header === undefined) {
    const name = headers === undefined ? undefined : signedUnder(headers, body, secrets);
    return certain(name === undefined ? cause("header_missing") : cause("header_name", name));
  }
  const { forms, evident } = readForms(header);
  const plain = plainKeyings(secrets, others);
  const mistaken = mistakenKeyings(secrets);
  const rare = rareKeyings(secrets, others);
  const searched = { body, forms, plain, mistaken, rare, headers, target, work };
  const { explanations, signed, tried, complete } = search(searched);
  const found = explanations.length > 0 ? explanations : evident === undefined ? [] : [[evident]];
  const first = found[0]?.[0] ?? cause("unexplained");
  const { code, meaning, fix } = first;
  const advice = found.length > 0 ? [] : adviceFor(body, forms, secrets, complete, headers);
  const isJson = found[0]?.some((one) => isAboutJson(one.code)) ?? false;
  const isSmall = body.byteLength <= LARGEST_REPRINTED;
  const printedBy = isJson && isSmall && signed !== undefined ? printersOf(body, signed) : [];
  const shown = found.slice(0, MOST_EXPLANATIONS);
  return { code, meaning, fix, explanations: shown, printedBy, advice, tried, complete };
}

function certain(found: Cause): Diagnosis {
  const { code, meaning, fix } = found;
  return {
    code,
    meaning,
    fix,
    explanations: [[found]],
    printedBy: [],
    advice: [],
    tried: 0,
    complete: true,
  };
}

/** The name of a header whose value is a valid signature. */
function signedUnder(
  headers: HeaderBag,
  body: Uint8Array,
  secrets: readonly Secret[],
): string | undefined {
  // Each digest is computed once, however many headers there are.
  const valid = secrets.map(({ key }) => Buffer.from(sign(body, key)));
  const isValid = (value: string) => {
    const given = Buffer.from(value);
    return valid.some(
      (buffer) => buffer.byteLength === given.byteLength && timingSafeEqual(buffer, given),
    );
  };
  return headerEntries(headers).find(
    ([, value]) => typeof value === "string" && isValid(value),
  )?.[0];
}
