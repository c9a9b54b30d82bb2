import { type HeaderBag, readHeader } from "../header.ts";
import type { Secret } from "../secrets.ts";
import { verify } from "../verify.ts";
import { adviceFor } from "./advice.ts";
import { type Cause, type CauseCode, cause } from "./causes.ts";
import { readForms } from "./header-form.ts";
import { mistakenKeyings, type NamedSecret, plainKeyings } from "./keyings.ts";
import { search } from "./search.ts";

/** Why a signature does not match. Holds no secret, no digest and nothing of the body. */
export interface Diagnosis {
  /** Of the first cause of the nearest explanation; `valid`, or `unexplained` where there is none. */
  readonly code: CauseCode;
  readonly meaning: string;
  readonly fix: string;
  /** The ways to explain it, that with the fewest causes first. The causes of one count together. */
  readonly explanations: readonly (readonly Cause[])[];
  /** Where nothing explains it: what to try, in order. */
  readonly advice: readonly string[];
  /** How many digests were compared. */
  readonly tried: number;
  /** Whether every combination was tried; a large body leaves out the rarer ones. */
  readonly complete: boolean;
}

/** What a diagnosis may look into beside the body, the header and the secrets. */
export interface DiagnoseOptions {
  /** Secrets that are set elsewhere on this machine: was the signature made with one of them? At most 16 are tried. */
  readonly others?: readonly NamedSecret[];
  /** The delivery's headers: does one of another name carry the signature? */
  readonly headers?: HeaderBag;
  /** The most work it may be, in bytes hashed: 700 million by default, about a second; 100 million are a tenth of it. */
  readonly work?: number;
}

/** More explanations than these only confuse. */
const MOST_EXPLANATIONS = 5;
const WORK = 7e8;

/**
 * Finds out why a signature does not match: which common mistakes in the body, the secret or the header lead from a
 * good signature to this one. The mistakes of `CAUSES` are tried, up to one of each part together; what it says is
 * proven by the digest, not guessed. Takes milliseconds for most bodies and up to a second or two for 1 MiB, so ask for
 * it when somebody reads the answer, and never tell it to the sender.
 */
export function diagnoseSignature(
  body: Uint8Array,
  header: string | readonly string[] | undefined,
  secrets: readonly Secret[],
  { others = [], headers, work = WORK }: DiagnoseOptions = {},
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
  const { explanations, tried, complete } = search({ body, forms, plain, mistaken, work });
  const found = explanations.length > 0 ? explanations : evident === undefined ? [] : [[evident]];
  const first = found[0]?.[0] ?? cause("unexplained");
  const { code, meaning, fix } = first;
  const advice = found.length > 0 ? [] : adviceFor(body, forms, secrets, complete);
  return { code, meaning, fix, explanations: found.slice(0, MOST_EXPLANATIONS), advice, tried, complete };
}

function certain(found: Cause): Diagnosis {
  const { code, meaning, fix } = found;
  return { code, meaning, fix, explanations: [[found]], advice: [], tried: 0, complete: true };
}

/** The name of the header whose value is a good signature. */
function signedUnder(headers: HeaderBag, body: Uint8Array, secrets: readonly Secret[]): string | undefined {
  const names = headers instanceof Headers ? [...headers.keys()] : Object.keys(headers);
  return names.find((name) => verify(body, readHeader(headers, name), secrets).ok);
}
