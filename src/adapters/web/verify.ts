/**
 * Bytes, a header and secrets come in. Whether the signature is valid goes out. Nothing of Node is
 * used, so that it runs wherever WebCrypto does.
 */

import { ConfigurationError } from "../../base/errors.ts";
import { isArrayBuffer, isBytes } from "../../base/guards.ts";
import { TextDecoder, TextEncoder } from "../../base/text/text-coders.ts";
import { detach } from "../../base/try-or.ts";
import type { Envelope } from "../../event/envelope.ts";
import type { WebhookEvent } from "../../event/event.ts";
import { DIGEST_LENGTH, derivedIdText, digestId, ownId } from "../../event/identity-text.ts";
import { type ParsedEnvelope, parseEnvelope } from "../../event/parse-envelope.ts";
import type { RejectionReason } from "../../event/rejection.ts";
import { type HeaderBag, readHeader } from "../../signature/header.ts";
import { type SecretOption, secretBytes } from "../../signature/secret-bytes.ts";
import {
  readSignature,
  SIGNATURE_HEADER,
  SIGNATURE_REASONS,
  type SignatureReason,
} from "../../signature/signature-format.ts";

/** How to verify. */
export interface VerifyOptions {
  /**
   * The subscription's secret; several while one is replaced, the current one first; or a function
   * that returns either. A string is used as UTF-8.
   */
  readonly secret: SecretOption | undefined;
  /** The name of the signature header. Default `x-service-signature`. */
  readonly signatureHeader?: string | undefined;
}

/** An authentic event: as a handler of a receiver gets it, but for its `source`. */
export type VerifiedEvent = Omit<WebhookEvent, "source">;

/** What a delivery is. `status` is the answer that a receiver would send. */
export type VerifiedDelivery =
  | {
      readonly ok: true;
      readonly status: 200;
      readonly event: VerifiedEvent;
      /** Which secret matched: `current` for the first, `previous` for the others. */
      readonly secret: "current" | "previous";
      readonly reason?: undefined;
    }
  | {
      readonly ok: false;
      /** The delivery is not authentic. */
      readonly status: 401;
      readonly reason: SignatureReason;
      /** What is wrong, in words. For your log; the sender must not see it. */
      readonly message: string;
      readonly event?: undefined;
    }
  | {
      readonly ok: false;
      /** The delivery is authentic, but no event. */
      readonly status: 400;
      readonly reason: RejectionReason;
      readonly message: string;
      /** The invalid field, such as `webhook.id`, if there is one. */
      readonly field?: string;
      readonly event?: undefined;
    };

const HMAC = { name: "HMAC", hash: "SHA-256" };

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * Verifies the signature of a delivery over its raw bytes, and reads its event (service
 * description, "Authentication" 6 and "Body envelope"). Needs WebCrypto only, so it runs anywhere.
 * Nothing is kept, and neither age nor duplicates are checked: compare `event.id` with those you
 * know.
 *
 * @param body - the raw bytes, as `await request.arrayBuffer()` returns them; never parsed and
 * printed JSON
 * @param headers - all headers, or the value of the signature header
 * @throws ConfigurationError `secret_missing`, `secret_empty`, `body_already_parsed`, as a
 * rejection
 *
 * @example
 * ```ts
 * import { verify } from "hookporter/verify"; // or from "hookporter"
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const secret = process.env.HOOKPORTER_SECRET;
 *   const { ok, status, event } = await verify(await request.arrayBuffer(), request.headers, { secret });
 *   if (ok) console.log(event.id, event.kind);
 *   return new Response(null, { status });
 * }
 * ```
 */
export async function verify(
  body: Uint8Array | ArrayBuffer,
  headers: HeaderBag | string | null | undefined,
  options: VerifyOptions,
): Promise<VerifiedDelivery> {
  // Bytes of its own: the program may use the memory again meanwhile, and WebCrypto takes no shared
  // memory.
  const bytes = new Uint8Array(bodyBytes(body));
  const secrets = readSecretBytes(options.secret);
  const signature = readSignature(signatureOf(headers, options));
  if (!signature.ok) return unauthorized(signature.reason);
  const importKey = (secret: Uint8Array<ArrayBuffer>) =>
    subtle().importKey("raw", secret, HMAC, false, ["verify"]);
  const at = await matchingKey(await Promise.all(secrets.map(importKey)), signature.hex, bytes);
  if (at === undefined) return unauthorized("signature_mismatch");
  const parsed = parseEnvelope(bytes, decodeUtf8);
  if (!parsed.ok) return { ok: false, status: 400, ...parsed.rejection };
  return authentic(parsed.envelope, await eventIdOf(parsed), at === 0 ? "current" : "previous");
}

/** The bytes that were given; refuses what other code has read in another way. */
export function bodyBytes(body: Uint8Array | ArrayBuffer): Uint8Array {
  if (ArrayBuffer.isView(body))
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (isArrayBuffer(body)) return new Uint8Array(body);
  throw new ConfigurationError(
    "body_already_parsed",
    `expected the raw bytes of the body, got a value of type ${typeof body}: pass what request.arrayBuffer() returns`,
  );
}

export function signatureOf(
  headers: HeaderBag | string | null | undefined,
  { signatureHeader = SIGNATURE_HEADER }: VerifyOptions,
): string | readonly string[] | undefined {
  if (typeof headers === "string") return headers;
  return headers == null ? undefined : readHeader(headers, signatureHeader);
}

/** Prepares secrets as `readSecrets` does, for keys of WebCrypto. */
function readSecretBytes(option: VerifyOptions["secret"]): readonly Uint8Array<ArrayBuffer>[] {
  const given: unknown = typeof option === "function" ? option() : option;
  const values: readonly unknown[] =
    given === undefined ? [] : Array.isArray(given) ? given : [given];
  if (values.length === 0) {
    throw new ConfigurationError(
      "secret_missing",
      "expected a signing secret, got none: pass `secret`, the subscription's secret",
    );
  }
  return values.map((value, index) => {
    const which = index === 0 ? "the secret" : `secret ${index + 1} of the list`;
    if (typeof value !== "string" && !isBytes(value)) {
      detach(value);
      throw new ConfigurationError(
        "secret_missing",
        `expected ${which} to be a string or bytes, got another value: is the variable set?`,
      );
    }
    return new Uint8Array(secretBytes(value, which, () => {}));
  });
}

/**
 * The index of the first key under which the signature is valid. All are tried; `subtle.verify`
 * compares in constant time.
 */
async function matchingKey(keys: readonly Key[], hex: string, bytes: Uint8Array<ArrayBuffer>) {
  const signature = Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
  const matches = await Promise.all(
    keys.map((key) => subtle().verify("HMAC", key, signature, bytes)),
  );
  const at = matches.indexOf(true);
  return at === -1 ? undefined : at;
}

/** The result for a delivery that is not authentic. */
export function unauthorized(reason: SignatureReason): VerifiedDelivery {
  return { ok: false, status: 401, reason, message: SIGNATURE_REASONS[reason].meaning };
}

/** Throws for bytes that are not UTF-8, and removes a byte order mark. */
function decodeUtf8(body: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(body);
}

/** The same ids that a receiver derives. */
async function eventIdOf({ envelope, content, timestamp }: ParsedEnvelope): Promise<string> {
  const own = ownId(envelope.id);
  if (own !== undefined) return "id" in own ? own.id : digestId(await digest(own.digestOf));
  return digestId(await digest(derivedIdText(await digest(content), timestamp)));
}

async function digest(given: string | Uint8Array): Promise<string> {
  const copy = typeof given === "string" ? new TextEncoder().encode(given) : new Uint8Array(given);
  const bytes = new Uint8Array(await subtle().digest("SHA-256", copy));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.slice(0, DIGEST_LENGTH);
}

/** The result for an event. */
export function authentic(
  envelope: Envelope,
  id: string,
  secret: "current" | "previous",
): VerifiedDelivery {
  const { event: kind, timestamp, data, webhook } = envelope;
  return { ok: true, status: 200, event: { id, kind, timestamp, data, webhook, envelope }, secret };
}

/** The global one, or that of Node, which Jest hides from tests with jsdom. */
function subtle(): typeof crypto.subtle {
  const { subtle: own } = globalThis.crypto ?? {};
  return own ?? process.getBuiltinModule("node:crypto").webcrypto.subtle;
}
