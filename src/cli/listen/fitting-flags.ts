import { DEFAULT_PORT } from "../../http/default-endpoint.ts";
import { notTheSignature } from "../handlers/forward-request.ts";
import { SERVICE_FITS } from "../service/service-options.ts";
import type { OptionConflicts } from "../settings/fitting.ts";
import { TUNNEL_FITS } from "../tunnel/kinds.ts";
import type { ListenOptions } from "./listen-options.ts";

const ONE_ANSWER = "the sender gets the response of one target";

/** Which flags of `listen` can be combined; this is the only place that decides it. */
export const FITTING_FLAGS: OptionConflicts<ListenOptions> = {
  baseUrl: { needs: ["subscribe"] },
  apiKeyEnv: { needs: ["subscribe", "stream"] },
  accessTokenEnv: { needs: ["subscribe"], ...SERVICE_FITS.accessTokenEnv },
  live: { needs: ["subscribe", "stream"] },
  ...TUNNEL_FITS,
  count: { excludes: ["waitFor"], why: "listen ends at one goal" },
  timeout: { needs: ["count", "waitFor"] },
  catchUp: { needs: ["forwardTo", "handlers", "exec"], why: "nothing would process the entries" },
  deadLetters: { needs: ["orderBy"], why: "without an order nothing is held back" },
  forwardWhere: { needs: ["forwardTo"] },
  maxForwards: { needs: ["forwardTo"] },
  giveUp: { needs: ["forwardTo"], why: "handlers have a limit of their own" },
  sync: {
    needs: ["forwardTo"],
    excludes: ["handlers", "exec"],
    why: ONE_ANSWER,
    check: notOneTarget,
  },
  // Refusing --sync is better than silently not running them.
  handlers: { stays: true },
  exec: { stays: true },
  forwardTo: { check: ownAddress },
  header: { needs: ["forwardTo"], check: notTheSignature },
  headerEnv: { needs: ["forwardTo"], check: notTheSignature },
  forwardHost: { needs: ["forwardTo"] },
  passHeaders: { needs: ["forwardTo"] },
  insecure: { needs: ["forwardTo"] },
};

function notOneTarget({ forwardTo = [] }: ListenOptions): string | undefined {
  const [only, ...others] = forwardTo;
  if (others.length === 0 && only?.pattern === null) return undefined;
  const got = others.length === 0 ? `one for ${only?.pattern}` : forwardTo.length;
  return `expected exactly one --forward-to without a pattern with --sync, got ${got}: ${ONE_ANSWER}; remove the others, or remove --sync`;
}

/**
 * Whether a target is `listen` itself: it would take each event for a duplicate, and everything
 * would seem fine.
 */
export function isOwn(target: URL, port = DEFAULT_PORT): boolean {
  const hosts = ["127.0.0.1", "0.0.0.0", "localhost"];
  return hosts.some((host) => new URL(`http://${host}:${port}`).origin === target.origin);
}

function ownAddress({ forwardTo = [], port }: ListenOptions): string | undefined {
  const loop = forwardTo.find(({ target }) => isOwn(target, port));
  if (loop === undefined) return undefined;
  return `expected --forward-to to be the address of your app, got ${loop.target.origin}, the address of listen itself: change it, or --port`;
}
