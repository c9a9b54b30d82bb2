import { describeError } from "../../base/errors.ts";
import { send } from "../../relay/send.ts";
import { sign } from "../../signature/sign.ts";
import type { Subscription } from "./subscription.ts";

export interface Reached {
  readonly status: number | null;
  /** Why it failed; `null` if the delivery was confirmed. */
  readonly error: string | null;
}

/** Where deliveries go: the endpoint of a subscription, or the stream. */
export interface Destination {
  /** The subscription, as in envelopes (service description, "Body envelope"). */
  readonly webhook: { readonly id: string; readonly url: string };
  readonly signed: boolean;
  /** Aborted when nothing more should be sent there. */
  readonly signal: AbortSignal;
  /** Never throws, unless the signal was aborted. */
  reach(body: Uint8Array, missigned: boolean, signal: AbortSignal): Promise<Reached>;
}

const WRONG_SECRET = "a secret that no subscription has, for wrong signatures";

/**
 * The endpoint of a subscription: a signed POST, confirmed only by status 200 (service description,
 * "Delivery").
 */
export function endpointOf(
  { id, url, target, secret }: Subscription,
  { signatureHeader, answerTimeout }: { signatureHeader: string; answerTimeout: number },
  signal: AbortSignal,
): Destination {
  return {
    webhook: { id, url },
    signed: secret !== undefined,
    signal,
    reach: async (body, missigned, aborted) => {
      const key = missigned ? WRONG_SECRET : secret?.key;
      const headers = {
        "content-type": "application/json", // not shown
        "user-agent": "hookporter-sandbox",
        ...(key !== undefined && { [signatureHeader]: sign(body, key) }),
      };
      try {
        const { status } = await send({
          target,
          headers,
          body,
          timeout: answerTimeout,
          signal: aborted,
        });
        return {
          status,
          error: status === 200 ? null : `answered ${status}, but only 200 confirms`,
        };
      } catch (thrown) {
        return { status: null, error: describeError(thrown) };
      }
    },
  };
}
