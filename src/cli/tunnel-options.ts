import type { SecretOptions } from "./secret.ts";
import type { TunnelName } from "./tunnel-names.ts";

/** Options that say how the receiver is reached from outside. */
export interface TunnelOptions {
  readonly tunnel?: TunnelName;
  readonly domain?: string;
  readonly publicUrl?: URL;
}

/** The options of a command that may be reached from outside. */
export interface ReachableOptions extends TunnelOptions, SecretOptions {
  /** Of the endpoint. */
  readonly path?: string;
}

/** The options that belong to some tunnels only. */
export const TUNNEL_FLAGS = ["domain", "publicUrl"] as const satisfies readonly (keyof TunnelOptions)[];

/** One of them. */
export type TunnelFlag = (typeof TUNNEL_FLAGS)[number];
