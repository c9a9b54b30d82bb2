import type { TunnelFailure, TunnelTarget } from "./provider.ts";

/** The first message to the child: which tunnel to open. */
export interface OpenMessage {
  readonly type: "open";
  /** A name from `providers.ts`. */
  readonly provider: string;
  /** The settings for the provider's `open`; may contain a token. */
  readonly settings: object;
  readonly target: TunnelTarget;
}

/** Messages to the child that runs a provider. */
export type ToChild = OpenMessage | { readonly type: "close" };

/** Messages from the child; they correspond to `TunnelReport`. */
export type FromChild =
  | { readonly type: "up"; readonly url: string }
  | { readonly type: "down"; readonly reason: string }
  | { readonly type: "failed"; readonly failure: TunnelFailure };
