import type { ListenOptions } from "../listen/options.ts";
import type { SecretOptions } from "../secrets/options.ts";
import type { ServiceOptions } from "../service/options.ts";
import type { TunnelOptions } from "../tunnel/options.ts";

/** How often a drill kills a receiver by default. */
export const KILLS = 20;

/** The options of `doctor`: those of `listen` that decide what it needs. */
export interface DoctorOptions
  extends SecretOptions,
    ServiceOptions,
    TunnelOptions,
    Pick<ListenOptions, "port" | "path" | "inbox" | "healthPort" | "inspectPort">,
    Pick<ListenOptions, "handlers" | "exec" | "onDead" | "events" | "forwardTo" | "insecure" | "subscribe"> {
  readonly listen?: boolean;
  readonly url?: URL;
  readonly signatureHeader?: string;
  readonly report?: boolean;
  readonly drill?: boolean;
  readonly kills?: number;
  readonly yes?: boolean;
}
