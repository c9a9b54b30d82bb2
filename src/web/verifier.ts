import { ConfigurationError } from "../errors.ts";
import type { Envelope } from "../event/envelope.ts";
import type { WebhookEvent } from "../event/event.ts";
import { DIGEST_LENGTH, derivedIdText, digestId, ownId } from "../event/identity-text.ts";
import { type ParsedEnvelope, parseEnvelope } from "../event/parse-envelope.ts";
import type { RejectionReason } from "../event/rejection.ts";
import { type HeaderBag, readHeader } from "../signature/header.ts";
import { type SecretValue, secretBytes } from "../signature/secret-bytes.ts";
import {
  readSignature,
  SIGNATURE_HEADER,
  SIGNATURE_REASONS,
  type SignatureReason,
} from "../signature/signature-format.ts";

/** Options of {@link createVerifier}. */
export interface VerifierOptions {
  /** The subscription's secret; or several while one is replaced, the current one first. A string is used as UTF-8. */
  readonly secret: SecretValue | readonly SecretValue[] | undefined;
  /** The name of the signature header. Default `x-service-signature`. */
  readonly signatureHeader?: string | undefined;
  /** Called with a warning about a secret that can be guessed. Default: none. */
  readonly warn?: ((message: string) => void) | undefined;
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
    }
  | {
      readonly ok: false;
      /** The delivery is not authentic. */
      readonly status: 401;
      readonly reason: SignatureReason;
      /** What is wrong, in words. For your log; the sender must not see it. */
      readonly message: string;
    }
  | {
      readonly ok: false;
      /** The delivery is authentic, but no event. */
      readonly status: 400;
      readonly reason: RejectionReason;
      readonly message: string;
      /** The invalid field, such as `webhook.id`, if there is one. */
      readonly field?: string;
    };

/** Verifies deliveries with WebCrypto. */
export interface Verifier {
  /**
   * Verifies the signature over the raw bytes, and reads the event (service description, "Authentication" 6 and "Body
   * envelope"). Nothing is kept, and neither age nor duplicates are checked: compare `event.id` with those you know.
   *
   * @param body - the raw bytes, as `await request.arrayBuffer()` returns them; never parsed and printed JSON
   * @param headers - all headers, or the value of the signature header
   */
  verify(
    body: Uint8Array | ArrayBuffer,
    headers: HeaderBag | string | null | undefined,
  ): Promise<VerifiedDelivery>;
}

const HMAC = { name: "HMAC", hash: "SHA-256" };

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * Creates a verifier that needs WebCrypto only: for edge functions, workers and browsers' service workers, and wherever
 * `createReceiver` cannot run.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`
 *
 * @example
 * ```ts
 * import { createVerifier } from "hookporter/verify";
 *
 * const verifier = createVerifier({ secret: process.env.HOOKPORTER_SECRET });
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const delivery = await verifier.verify(await request.arrayBuffer(), request.headers);
 *   if (!delivery.ok) return new Response(null, { status: delivery.status });
 *   console.log(delivery.event.id, delivery.event.kind);
 *   return new Response(null, { status: 200 });
 * }
 * ```
 */
export function createVerifier({ secret, signatureHeader, warn = () => {} }: VerifierOptions): Verifier {
  const name = signatureHeader ?? SIGNATURE_HEADER;
  const secrets = readSecretBytes(secret, warn);
  let keys: readonly Key[] | undefined; // not a promise, which Workers refuse to share between requests
  return {
    verify: async (given, headers) => {
      const body = given instanceof Uint8Array ? given : new Uint8Array(given);
      const header = typeof headers === "string" || headers == null ? headers : readHeader(headers, name);
      const signature = readSignature(header ?? undefined);
      if (!signature.ok) return unauthorized(signature.reason);
      keys ??= await importKeys(secrets);
      const at = await matchingKey(keys, signature.hex, body);
      if (at === undefined) return unauthorized("signature_mismatch");
      const parsed = parseEnvelope(body, decodeUtf8);
      if (!parsed.ok) return { ok: false, status: 400, ...parsed.rejection };
      const event = toEvent(parsed.envelope, await eventIdOf(parsed));
      return { ok: true, status: 200, event, secret: at === 0 ? "current" : "previous" };
    },
  };
}

/** Prepares secrets as `readSecrets` does, for keys of WebCrypto. */
function readSecretBytes(
  given: VerifierOptions["secret"],
  warn: (message: string) => void,
): readonly Uint8Array<ArrayBuffer>[] {
  const values: readonly unknown[] = given === undefined ? [] : Array.isArray(given) ? given : [given];
  if (values.length === 0) {
    throw new ConfigurationError(
      "secret_missing",
      "expected a signing secret, got none: pass `secret`, the subscription's secret",
    );
  }
  return values.map((value, index) => {
    const which = index === 0 ? "the secret" : `secret ${index + 1} of the list`;
    if (typeof value !== "string" && !(value instanceof Uint8Array)) {
      throw new ConfigurationError(
        "secret_missing",
        `expected ${which} to be a string or bytes, got another value: is the variable set?`,
      );
    }
    return new Uint8Array(secretBytes(value, which, warn)); // a copy, which its owner cannot change later
  });
}

function importKeys(secrets: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly Key[]> {
  return Promise.all(secrets.map((bytes) => crypto.subtle.importKey("raw", bytes, HMAC, false, ["verify"])));
}

/** The index of the first key under which the signature is valid. All are tried; `subtle.verify` compares in constant time. */
async function matchingKey(keys: readonly Key[], hex: string, body: Uint8Array): Promise<number | undefined> {
  const signature = Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
  const bytes = new Uint8Array(body); // WebCrypto takes no shared memory
  const matches = await Promise.all(keys.map((key) => crypto.subtle.verify("HMAC", key, signature, bytes)));
  const at = matches.indexOf(true);
  return at === -1 ? undefined : at;
}

function unauthorized(reason: SignatureReason): VerifiedDelivery {
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
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", copy));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.slice(0, DIGEST_LENGTH);
}

function toEvent(envelope: Envelope, id: string): VerifiedEvent {
  const { event: kind, timestamp, data, webhook } = envelope;
  return { id, kind, timestamp, data, webhook, envelope };
}
