import type { Delivery } from "../event/delivery.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Settlement } from "../inbox/settlement.ts";
import type { Secret } from "../signature/secrets.ts";
import { sign } from "../signature/sign.ts";
import { SIGNATURE_PREFIX } from "../signature/signature-format.ts";
import type { AttemptObservation, DeliveryObservation } from "./observation.ts";
import type { Settings } from "./options/settings.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Hex digits of the correct digest shown for an unauthentic delivery: enough to compare, far too
 * few to forge.
 */
export const SHOWN_DIGITS = 8;

/** The first digits of a delivery's correct digest under one secret. */
export interface DigestStart extends Pick<Secret, "role" | "fingerprint"> {
  /** 8 hex digits. */
  readonly start: string;
}

/**
 * What only the command line and its page see of a delivery: the bytes of one that is not
 * authentic, while they are here.
 */
export interface InspectedDelivery extends DeliveryObservation {
  /**
   * Only if the outcome is `unauthorized`: returns the first digits of the correct digest under
   * each secret, to compare with the received one. Call it in the listener, or in a `setImmediate`
   * that it starts: by then the sender has its answer. Later it returns an empty list.
   */
  readonly digests?: (() => readonly DigestStart[]) | undefined;
  /**
   * Only if the outcome is `unauthorized`: returns the bytes, which may be anyone's. Copy few of
   * them, and keep them in memory. Call it when `digests` may be called; later it returns
   * `undefined`.
   */
  readonly body?: (() => Uint8Array | undefined) | undefined;
}

/** A request or message that was answered. */
export interface Answered {
  readonly head: Omit<Delivery, "body">;
  readonly outcome: Outcome;
  /** When it began, by `performance.now()`. */
  readonly start: number;
  /** The whole delivery, if its body was read. */
  readonly delivery: Delivery | undefined;
  readonly remoteAddress?: string | undefined;
}

/**
 * What observers see of a request, and a function that releases the delivery if it is not
 * authentic.
 */
export function deliveryObservation(
  {
    head: { method, target, headers, receivedAt },
    outcome,
    start,
    delivery,
    remoteAddress,
  }: Answered,
  settings: Settings,
): { readonly observation: InspectedDelivery; readonly forget: (() => void) | undefined } {
  const authentic =
    outcome.type === "accepted" || outcome.type === "rejected" ? delivery : undefined;
  const shown = Object.freeze({ ...headers }); // all observers share them
  // Without any signature the body was not read.
  const isPassing = outcome.type === "unauthorized" && delivery !== undefined;
  const passing = isPassing ? passingDelivery(delivery, settings) : undefined;
  const observation: InspectedDelivery = {
    type: "delivery",
    method,
    target,
    headers: shown,
    remoteAddress,
    receivedAt,
    duration: Math.round((performance.now() - start) * 100) / 100,
    bytes: delivery?.body.byteLength ?? 0,
    outcome,
    delivery: authentic && { ...authentic, headers: shown, body: Buffer.from(authentic.body) },
    digests: passing?.digests,
    body: passing?.body,
  };
  return { observation, forget: passing?.forget };
}

export function attemptObservation(
  entry: ClaimedEntry,
  settlement: Settlement,
): AttemptObservation {
  const { seq, key, kind, attempts: attempt } = entry;
  const { eventId } = key;
  const { state, records, reason, problems = [], runAt } = settlement;
  return { type: "attempt", seq, eventId, kind, attempt, records, state, reason, problems, runAt };
}

/**
 * Shows an unauthentic delivery until told to forget it, even if a listener retains the
 * observation. Does no work until called, and reads the secrets at that time.
 */
function passingDelivery(delivery: Delivery, settings: Settings) {
  let held: Delivery | undefined = delivery;
  return {
    digests: () => (held === undefined ? [] : digestStarts(held.body, settings.secrets())),
    body: () => held?.body,
    forget: () => {
      held = undefined;
    },
  };
}

function digestStarts(body: Uint8Array, secrets: readonly Secret[]): readonly DigestStart[] {
  return secrets.map(({ key, role, fingerprint }) => {
    const start = sign(body, key).slice(SIGNATURE_PREFIX.length).slice(0, SHOWN_DIGITS);
    return { role, fingerprint, start };
  });
}
