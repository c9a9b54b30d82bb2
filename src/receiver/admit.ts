import { type Delivery, type DeliveryHeaders, TRACE_HEADER } from "../event/delivery.ts";
import type { BodyResult, CountedLimits } from "../http/read-body.ts";
import { isEndpoint } from "./adapters/endpoint-path.ts";
import type { Incoming } from "./incoming.ts";
import { misconfigured } from "./misconfigured.ts";
import type { Settings } from "./options/options.ts";
import { type Outcome, refused } from "./outcome.ts";
import type { RefusalReason } from "./refusals.ts";

/** Reads a request as a delivery: route, method, encoding, size, in the order of the contract. Or returns what refuses it. */
export async function admit(
  incoming: Incoming,
  receivedAt: number,
  settings: Settings,
): Promise<Delivery | Outcome> {
  const refusal = refuseHead(incoming);
  if (refusal !== undefined) return refused(refusal);
  const { method, target, headers } = incoming;
  const { bodyLimit: limit, bodyTimeout: timeout, budget } = settings;
  const limits: CountedLimits = { limit, timeout, budget };
  let body: BodyResult;
  try {
    body = await incoming.read(limits);
  } catch (thrown) {
    return misconfigured(thrown, settings);
  }
  if (typeof body === "string") return refused(body);
  return { method, target, headers: keptHeaders(headers), body, receivedAt };
}

/** Why a request is refused by its head alone, in the order of the contract: route, method, encoding. */
export function refuseHead({ method, target, path, headers }: Incoming): RefusalReason | undefined {
  if (!isEndpoint(target, path)) return "wrong_path";
  if (method !== "POST") return "wrong_method";
  const encoding = headers["content-encoding"];
  const isPlain = encoding === undefined || encoding === "" || encoding === "identity";
  return isPlain ? undefined : "content_encoding";
}

/** Credentials of the relay that forwarded the delivery, hop-by-hop headers, and names that a sender never uses. */
export const NOT_KEPT: ReadonlySet<string> = new Set([
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

export function keptHeaders(headers: DeliveryHeaders): DeliveryHeaders {
  const kept: Record<string, DeliveryHeaders[string]> = {};
  for (const name of Object.keys(headers)) {
    if (!NOT_KEPT.has(name)) kept[name] = headers[name];
  }
  return kept;
}
