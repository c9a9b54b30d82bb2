import { asError } from "../base/errors.ts";
import { type Delivery, type DeliveryHeaders, TRACE_HEADER } from "../event/delivery.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import type { BodyResult, CountedLimits } from "../http/read-body.ts";
import { readHeader } from "../signature/header.ts";
import { readSignature } from "../signature/signature-format.ts";
import { verify } from "../signature/verify.ts";
import type { Incoming } from "./incoming.ts";
import type { Settings } from "./options/settings.ts";
import {
  type Misconfigured,
  misconfigured,
  type Outcome,
  type Proof,
  refused,
  type Unauthorized,
} from "./outcome.ts";

/** A request that was read whole. */
interface Admitted {
  readonly type: "delivery";
  readonly delivery: Delivery;
}

/**
 * Reads a request as a delivery, or refuses it: route, method, form of the signature, encoding,
 * size, in this order.
 */
export async function admit(
  incoming: Incoming,
  receivedAt: number,
  settings: Settings,
  budget: BodyBudget,
): Promise<Admitted | Outcome> {
  const refusal = refuseHead(incoming, settings.signatureHeader);
  if (refusal !== undefined) return refusal;
  const { method, target, headers } = incoming;
  const { bodyLimit: limit, bodyTimeout: timeout } = settings;
  const limits: CountedLimits = { limit, timeout, budget };
  let body: BodyResult;
  try {
    body = await incoming.read(limits);
  } catch (thrown) {
    return misconfigured(thrown, settings);
  }
  if (typeof body === "string") return refused(body);
  const kept = keptHeaders(headers, settings.signatureHeader);
  const delivery = { method, target, headers: kept, body, receivedAt };
  return { type: "delivery", delivery };
}

/**
 * What becomes of a request by its head alone, in the order of the contract: route, method,
 * signature, encoding.
 */
export function refuseHead(
  { method, target, path, headers }: Incoming,
  signatureHeader: string,
): Outcome | undefined {
  if (!isEndpoint(target, path)) return refused("wrong_path");
  if (method !== "POST") return refused("wrong_method");
  // No body could make it authentic, so none is read.
  if (!mayBeSigned(headers, signatureHeader))
    return { type: "unauthorized", reason: "signature_missing" };
  const { "content-encoding": encoding } = headers;
  return encoding !== undefined && CODED.test(String(encoding))
    ? refused("content_encoding")
    : undefined;
}

/**
 * A list with a coding that there is (RFC 9110, 8.4.1). Any other value, such as UTF-8, changes
 * nothing about the bytes, which are verified as they are.
 */
const CODED = /(?:^|[\s,;"])(?:x-)?(?:gzip|deflate|br|zstd|compress)(?=$|[\s,;"])/i;

/** What every signature holds, whichever header it is in. */
export const LIKE_A_SIGNATURE = /sha256=|(?<![\da-f])[\da-f]{64}/i;

/**
 * Whether a request has a signature header; or another header that may hold a signature, which does
 * not make it authentic but tells what is set up wrongly.
 */
function mayBeSigned(headers: DeliveryHeaders, signatureHeader: string): boolean {
  if (headers[signatureHeader]) return true; // nearly always
  const signature = readSignature(readHeader(headers, signatureHeader));
  if (signature.ok || signature.reason !== "signature_missing") return true;
  return Object.values(headers).some((value) => LIKE_A_SIGNATURE.test(String(value)));
}

/**
 * Credentials of the relay that forwarded the delivery, hop-by-hop headers, and names that a sender
 * never uses.
 */
export const NOT_KEPT: ReadonlySet<string> = new Set([
  ":authority",
  ":method",
  ":path",
  ":scheme", // Node's HTTP/2 has the request line among the headers
  "__proto__",
  "authorization",
  "connection",
  "cookie",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  TRACE_HEADER,
]);

/**
 * The headers that are kept. Those that the connection names belong to it, too (RFC 9110, 7.6.1);
 * the signature is kept whatever that says.
 */
export function keptHeaders(headers: DeliveryHeaders, signatureHeader: string): DeliveryHeaders {
  const kept: Record<string, DeliveryHeaders[string]> = {};
  const ofConnection = String(headers.connection ?? "")
    .toLowerCase()
    .split(/[\s,]+/);
  for (const name of Object.keys(headers)) {
    const isOfConnection = ofConnection.includes(name) && name !== signatureHeader;
    if (!NOT_KEPT.has(name) && !isOfConnection) kept[name] = headers[name];
  }
  return kept;
}

/** The delivery is authentic, and why. */
export interface Authentic extends Proof {
  readonly type: "authentic";
}

/**
 * Checks the signature over the raw bytes: returns which secret matched, or the outcome if none
 * did. Never throws.
 */
export function authenticate(
  delivery: Delivery,
  settings: Settings,
): Authentic | Unauthorized | Misconfigured {
  try {
    const secrets = settings.secrets(); // one snapshot: a rotation does not change it half-way
    const header = readHeader(delivery.headers, settings.signatureHeader);
    const verified = verify(delivery.body, header, secrets);
    if (!verified.ok) return { type: "unauthorized", reason: verified.reason };
    const { role, fingerprint } = verified.secret;
    return { type: "authentic", secret: { role, fingerprint } };
  } catch (error) {
    return { type: "misconfigured", error: asError(error) };
  }
}

/**
 * Whether a raw request target is the endpoint: compared exactly up to the first `?`, but a closing
 * slash more or less is the same endpoint. Nothing is decoded or resolved, so that no other
 * spelling of a path leads here.
 */
export function isEndpoint(target: string, path: string): boolean {
  if (target === path) return true;
  const [asked = ""] = target.split("?", 1);
  if (asked === path) return true;
  const bare = path.replace(/(?<=[^/])\/$/, "");
  return asked === bare || (bare !== "/" && asked === `${bare}/`);
}
