import { readNetworkFailure } from "../../client/network-failure.ts";
import { ServiceError } from "../../client/service-error.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import type { RememberedSubscription } from "./subscription-memory.ts";

/** A subscription as a sandbox lists it; every field is unchecked. */
interface Listed {
  readonly id?: unknown;
  readonly url?: unknown;
}

/** A sandbox on this machine answers quickly. */
const TIMEOUT = 2000;

/**
 * Finds out whether a sandbox on this machine has lost a subscription. A sandbox forgets all of them when it ends, and
 * lists its current ones at a route that the service does not have. Returns false for anything but a sandbox.
 *
 * @param mustAnswer - whether it is an error if nothing listens there, since it may be a sandbox that is not up yet
 * @throws ServiceError `service_unreachable`
 */
export async function lostBySandbox(
  baseUrl: string,
  mustAnswer = false,
): Promise<(one: RememberedSubscription) => boolean> {
  const listed = isLoopback(new URL(baseUrl)) ? await listSandbox(baseUrl, mustAnswer) : undefined;
  if (listed === undefined) return () => false;
  return ({ id, url }) => id !== null && !listed.some((one) => one.id === id && one.url === url);
}

/** Asks twice, since a kept-alive connection may lead to a sandbox that has ended. */
async function listSandbox(baseUrl: string, mustAnswer: boolean): Promise<readonly Listed[] | undefined> {
  const response = await ask(baseUrl)
    .catch(() => ask(baseUrl))
    .catch((thrown: unknown) => {
      if (mustAnswer && readNetworkFailure(thrown).notSent) throw unreachable(baseUrl, thrown);
      return undefined;
    });
  if (response?.status !== 200) return undefined; // not a sandbox; creating the subscription reports any problem
  try {
    const { data } = (await response.json()) as { data?: unknown };
    return Array.isArray(data) ? data.map((one: object | null) => ({ ...one })) : undefined;
  } catch {
    return undefined;
  }
}

function unreachable(baseUrl: string, cause: unknown): ServiceError {
  const message = `expected a response from ${baseUrl}, got none: ${readNetworkFailure(cause).why}`;
  return new ServiceError({ code: "service_unreachable", message, mayHaveHappened: false, cause }, 2);
}

function ask(baseUrl: string): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT);
  return fetch(`${baseUrl}/_sandbox/subscriptions`, { redirect: "manual", signal });
}
