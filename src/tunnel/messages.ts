import type { TunnelFailure, TunnelTarget } from "./provider.ts";

/** Which tunnel the child is to open; its first message. */
export interface OpenMessage {
  readonly type: "open";
  /** A name of `providers.ts`. */
  readonly provider: string;
  /** What the provider's `open` takes; it may hold a token. */
  readonly settings: object;
  readonly target: TunnelTarget;
}

/** What the child that runs a provider is told. */
export type ToChild = OpenMessage | { readonly type: "close" };

/** What the child reports, in the words of `TunnelReport`. */
export type FromChild =
  | { readonly type: "up"; readonly url: string }
  | { readonly type: "down"; readonly reason: string }
  | { readonly type: "failed"; readonly failure: TunnelFailure };
