import type { TunnelTiming } from "../tunnel/timing.ts";
import type { CliContext } from "./context.ts";
import { ngrokSettings } from "./ngrok-settings.ts";
import type { TunnelName } from "./tunnel-names.ts";
import type { ReachableOptions, TunnelFlag } from "./tunnel-options.ts";

/** How a name of `--tunnel` is opened. */
export interface TunnelKind {
  /** A name of `tunnel/providers.ts`; several kinds may share one. */
  readonly provider: string;
  /** What the provider's `open` takes, from options, environment and files. */
  readonly settings: (options: ReachableOptions, context: CliContext) => object;
  /** Those of the flags that it reads. */
  readonly flags: readonly TunnelFlag[];
  /** Times other than `TUNNEL_TIMING`. */
  readonly timing?: Partial<TunnelTiming>;
}

/** The kinds by name. */
export const TUNNEL_KINDS: Readonly<Record<TunnelName, TunnelKind>> = {
  ngrok: {
    provider: "ngrok",
    settings: ngrokSettings,
    flags: ["domain"],
    // Heartbeats find a dead session in ten seconds; probes count against the 20 000 requests a month of a free account.
    timing: { probeEvery: 300_000 },
  },
};
