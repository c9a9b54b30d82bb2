import { DEFAULT_PORT } from "../../default-endpoint.ts";
import { SERVICE_FITS } from "../service/options.ts";
import type { Fit, FitTable } from "../settings/fitting.ts";
import { TUNNEL_KINDS } from "../tunnel/kinds.ts";
import { TUNNEL_FLAGS, TUNNEL_NAMES, type TunnelFlag } from "../tunnel/options.ts";
import type { ListenOptions } from "./options.ts";

const ONE_GOAL = "listen ends at one goal";
const ONLY_FORWARDS = "handlers have a limit of their own";
const ONE_ANSWER = "the sender gets the response of one target";

/** Which flags of `listen` can be combined; this is the only place that decides it. */
export const FITTING_FLAGS: FitTable<ListenOptions> = {
  baseUrl: { needs: ["subscribe"] },
  apiKeyEnv: { needs: ["subscribe", "stream"] },
  accessTokenEnv: { needs: ["subscribe"], ...SERVICE_FITS.accessTokenEnv },
  live: { needs: ["subscribe", "stream"] },
  plainHttp: { needs: ["subscribe"] },
  ...tunnelFlags(),
  count: { excludes: ["once", "waitFor"], why: ONE_GOAL },
  once: { excludes: ["waitFor"], why: ONE_GOAL },
  timeout: { needs: ["count", "once", "waitFor"] },
  catchUp: { needs: ["forwardTo", "handlers"], why: "nothing would process the entries" },
  deadLetters: { needs: ["orderBy"], why: "without an order nothing is held back" },
  forwardAttempts: { needs: ["forwardTo"], why: ONLY_FORWARDS },
  forwardFor: { needs: ["forwardTo"], why: ONLY_FORWARDS },
  giveUpOn: { needs: ["forwardTo"], why: ONLY_FORWARDS },
  unordered: { needs: ["forwardTo"], why: "only what waits for a target has this order" },
  sync: { needs: ["forwardTo"], excludes: ["handlers"], why: ONE_ANSWER, check: notOneTarget },
  handlers: { stays: true }, // refusing --sync is better than silently not running them
  forwardTo: { check: ownAddress },
};

/** The flags that only some tunnels have, taken from what each tunnel reads. */
function tunnelFlags(): { readonly [Name in TunnelFlag]: Fit<ListenOptions> } {
  const needs = (flag: TunnelFlag) => {
    const names = TUNNEL_NAMES.filter((name) => TUNNEL_KINDS[name].flags.includes(flag));
    const kinds = names.map((is) => ({ flag: "tunnel", is }) as const);
    return flag === "publicUrl" ? [...kinds, { flag: "tunnel", is: undefined } as const] : kinds;
  };
  const rows = TUNNEL_FLAGS.map((flag) => [flag, { needs: needs(flag) }]);
  return Object.fromEntries(rows) as { [Name in TunnelFlag]: Fit<ListenOptions> };
}

function notOneTarget({ forwardTo = [] }: ListenOptions): string | undefined {
  const [only, ...others] = forwardTo;
  if (others.length === 0 && only?.pattern === null) return undefined;
  const got = others.length === 0 ? `one for ${only?.pattern}` : forwardTo.length;
  return `expected exactly one --forward-to without a pattern with --sync, got ${got}: ${ONE_ANSWER}; remove the others, or remove --sync`;
}

/** This endpoint as a target would treat each event as a duplicate, and everything would seem fine. */
function ownAddress({ forwardTo = [], port = DEFAULT_PORT }: ListenOptions): string | undefined {
  const own = ["127.0.0.1", "localhost"].map((host) => new URL(`http://${host}:${port}`).origin);
  const loop = forwardTo.find(({ target }) => own.includes(target.origin));
  if (loop === undefined) return undefined;
  return `expected --forward-to to be the address of your app, got ${loop.target.origin}, the address of listen itself: change it, or --port`;
}
