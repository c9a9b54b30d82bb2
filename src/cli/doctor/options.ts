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
  /** Look at what `listen` would use, not at the project's own server. */
  readonly listen?: boolean;
  /** Look at nothing but a deployed receiver, from outside. */
  readonly url?: URL;
  readonly signatureHeader?: string;
  /** Show only the facts that an incident's channel needs. */
  readonly report?: boolean;
  /** Look at nothing, but kill receivers under load. */
  readonly drill?: boolean;
  /** How many. Default {@link KILLS}. */
  readonly kills?: number;
  /** The drill runs the user's own handlers. */
  readonly yes?: boolean;
}
