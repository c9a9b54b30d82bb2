import { isLoopback } from "../../is-loopback.ts";
import type { RememberedSubscription } from "./subscription-memory.ts";

/** A subscription as a sandbox lists it; nothing of it is sure. */
interface Listed {
  readonly id?: unknown;
  readonly url?: unknown;
}

/** A sandbox on this machine answers at once, or is none. */
const TIMEOUT = 2000;

/**
 * Whether a sandbox on this machine has lost a subscription: it forgets all when it ends, and tells which it has at a route
 * of its own, which the service does not have. False for whatever is no sandbox.
 */
export async function lostBySandbox(baseUrl: string): Promise<(one: RememberedSubscription) => boolean> {
  const listed = isLoopback(new URL(baseUrl)) ? await listSandbox(baseUrl) : undefined;
  if (listed === undefined) return () => false;
  return ({ id, url }) => id !== null && !listed.some((one) => one.id === id && one.url === url);
}

/** Asks twice, since a connection that was kept open may lead to a sandbox that has ended. */
async function listSandbox(baseUrl: string): Promise<readonly Listed[] | undefined> {
  const response = await ask(baseUrl).catch(() => ask(baseUrl).catch(() => undefined));
  if (response?.status !== 200) return undefined; // no sandbox: the request for a subscription says what is wrong
  try {
    const { data } = (await response.json()) as { data?: unknown };
    return Array.isArray(data) ? data.map((one: object | null) => ({ ...one })) : undefined;
  } catch {
    return undefined;
  }
}

function ask(baseUrl: string): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT);
  return fetch(`${baseUrl}/_sandbox/subscriptions`, { redirect: "manual", signal });
}
