import type { TunnelFailure } from "./provider.ts";

/** Where a tunnel stands. `docs/tunnel.md` says what each means; a test compares both. */
export const TUNNEL_STATES = {
  starting: "The provider is being started, or its address does not lead here yet.",
  online: "A request sent to the public address came back to this process.",
  reconnecting:
    "The connection is lost or in doubt; the provider's own retries get a moment, since they keep the address.",
  restarting: "The provider was ended and is started anew, at growing intervals of at most 15 seconds.",
  failed: "It will not work without you: a code and a fix are given.",
  closed: "It was closed on request.",
} as const;

/** One of the states. */
export type TunnelState = keyof typeof TUNNEL_STATES;

/** A change of a tunnel's state. */
export interface TunnelEvent {
  readonly state: TunnelState;
  /** The public address, as last known. */
  readonly url: string | undefined;
  /** With `online`, the address before, if this is another one. */
  readonly previousUrl: string | undefined;
  /** Why, for all states but `starting`, `online` and `closed`. */
  readonly failure: TunnelFailure | undefined;
}
