import type { KeyObject } from "node:crypto";
import { ownCommand } from "../../base/package/own-command.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { type Sending, send } from "../../relay/send.ts";
import { targetUrl } from "../../relay/target-url.ts";
import type { MadeUpData } from "../../relay/trigger.ts";
import { RequestError } from "../answer.ts";
import type { Sent } from "../api.ts";
import type { Arrivals } from "../live/arrivals.ts";

/** Where the inspector sends deliveries, and how it signs them. */
export interface Outgoing {
  /** What becomes of deliveries to the receiver's endpoint. */
  readonly arrivals: Arrivals;
  readonly endpoint: URL;
  /** The targets of `listen`, the only ones that may be on other machines. */
  readonly targets: readonly URL[];
  readonly signatureHeader: string;
  readonly key: KeyObject;
  /** What makes up `data` of triggered events. */
  readonly madeUp: MadeUpData | undefined;
  /**
   * Reserves milliseconds for events, so that none is a duplicate of another; returns the first.
   */
  readonly reserveInstants: (count: number) => Promise<number>;
  readonly clock: () => number;
}

const TIMEOUT = 30_000; // milliseconds a target may take to answer

export async function sendDelivery(
  { arrivals, endpoint }: Outgoing,
  { query, headers, body, target = endpoint }: Omit<Sending, "target"> & { readonly target?: URL },
): Promise<Sent> {
  const sending = () => send({ target, query, headers, body, timeout: TIMEOUT });
  const isOwn = target.href === endpoint.href;
  const [answer, arrival] = isOwn
    ? await arrivals.following({ headers, body }, sending)
    : [await sending(), undefined];
  const { status, ok, duration } = answer;
  const { seq = null, refusal = null, word = null, reason = null } = arrival ?? {};
  return {
    url: shownUrl(target),
    status,
    ok,
    duration,
    body: answer.body,
    seq,
    refusal,
    word,
    reason,
  };
}

/**
 * The target of a forward, which a user with the token gives, never a delivery. @throws
 * RequestError 400
 */
export function readTarget(text: string, { targets }: Pick<Outgoing, "targets">): URL {
  const url = targetUrl(text);
  if (url === undefined) {
    throw new RequestError(
      400,
      "target_invalid",
      "expected an http or https URL, or a port such as 3000",
    );
  }
  if (isLoopback(url) || targets.some(({ origin }) => origin === url.origin)) return url;
  throw new RequestError(
    400,
    "target_not_local",
    `expected a target on this machine, or one that listen forwards to, got another: for others, use \`${ownCommand("replay")}\` with --url`,
  );
}
