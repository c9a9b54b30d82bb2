import type { Delivery } from "../event/delivery.ts";
import type { BodyResult, CountedLimits } from "../http/read-body.ts";
import type { Incoming } from "./incoming.ts";
import { keptHeaders } from "./kept-headers.ts";
import { misconfigured } from "./misconfigured.ts";
import type { Settings } from "./options.ts";
import { type Outcome, refused } from "./outcome.ts";
import { refuseHead } from "./refuse-head.ts";

/** What becomes of a request. */
export interface Admitted {
  readonly outcome: Outcome;
  /** The delivery, if it was read completely. */
  readonly delivery?: Delivery;
}

/** What admitting needs of the receiver. */
interface Admitting {
  readonly settings: Settings;
  /** Accepts a delivery that was read completely. */
  readonly take: (delivery: Delivery) => Promise<Outcome>;
}

/** Route, method, encoding, size, then the rest: the order of the contract. */
export async function admit(
  incoming: Incoming,
  receivedAt: number,
  { settings, take }: Admitting,
): Promise<Admitted> {
  const refusal = refuseHead(incoming);
  if (refusal !== undefined) return refused(refusal);
  const { method, target, headers } = incoming;
  const { bodyLimit: limit, bodyTimeout: timeout, budget } = settings;
  const limits: CountedLimits = { limit, timeout, budget };
  let body: BodyResult;
  try {
    body = await incoming.read(limits);
  } catch (thrown) {
    return { outcome: misconfigured(thrown, settings) };
  }
  if (typeof body === "string") return refused(body);
  const delivery: Delivery = { method, target, headers: keptHeaders(headers), body, receivedAt };
  return { outcome: await take(delivery), delivery };
}
