import type { Fit } from "../settings/fitting.ts";
import { TUNNEL_KINDS } from "./kinds.ts";
import { type ReachableOptions, TUNNEL_FLAGS, TUNNEL_NAMES, type TunnelFlag } from "./options.ts";

/** What the flags that only some tunnels have can be combined with, taken from what each tunnel reads. */
export const TUNNEL_FITS = tunnelFits();

function tunnelFits(): { readonly [Name in TunnelFlag]: Fit<ReachableOptions> } {
  const needs = (flag: TunnelFlag) => {
    const names = TUNNEL_NAMES.filter((name) => TUNNEL_KINDS[name].flags.includes(flag));
    const kinds = names.map((is) => ({ flag: "tunnel", is }) as const);
    return flag === "publicUrl" ? [...kinds, { flag: "tunnel", is: undefined } as const] : kinds;
  };
  const rows = TUNNEL_FLAGS.map((flag) => [flag, { needs: needs(flag) }]);
  return Object.fromEntries(rows) as { [Name in TunnelFlag]: Fit<ReachableOptions> };
}
