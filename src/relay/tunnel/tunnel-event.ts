import type { TunnelFailure } from "./provider.ts";

/**
 * The states of a tunnel, with their meanings. A test compares them with
 * `docs/reference/tunnel.md`.
 */
export const TUNNEL_STATES = {
  starting: "The provider is starting, or its address does not lead here yet.",
  online: "A request to the public address arrived at this process.",
  reconnecting:
    "The connection is lost or in doubt. The provider may retry first, since that keeps the address.",
  restarting: "The provider was ended and is restarted, at growing intervals.",
  failed: "The tunnel cannot work until you fix the problem; a code and a fix are printed.",
  closed: "The tunnel was closed on request.",
} as const;

export type TunnelState = keyof typeof TUNNEL_STATES;

export interface TunnelEvent {
  readonly state: TunnelState;
  /** The last known public address. */
  readonly url: string | undefined;
  /** With `online`: the previous address, if it differs. */
  readonly previousUrl: string | undefined;
  /**
   * The reason, for all states but `online` and `closed`; with `starting`, what answers at an
   * address that does not lead here.
   */
  readonly failure: TunnelFailure | undefined;
}
