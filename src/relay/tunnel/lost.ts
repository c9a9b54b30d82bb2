import { failureOf, type TunnelFailure } from "./provider.ts";

/**
 * Why a tunnel is lost if its provider gave no reason. A test compares this with
 * `docs/reference/tunnel.md`.
 */
export const LOSSES = {
  tunnel_silent: {
    message: "the provider gave no address in time",
    fix: "check the network; the provider is restarted",
  },
  tunnel_lost: { message: "the connection was lost", fix: "nothing to do: the tunnel is reopened" },
  tunnel_unreachable: {
    message: "the public address does not lead here",
    fix: "open it in a browser to see what answers; a 404 from listen is correct",
  },
  provider_crashed: {
    message: "the provider failed unexpectedly",
    fix: "the provider is restarted; if this keeps happening, please report it",
  },
  tunnel_ended: {
    message: "the provider's process ended",
    fix: "nothing to do: the provider is restarted",
  },
} as const;

export function loss(code: keyof typeof LOSSES, detail?: string): TunnelFailure {
  return failureOf(LOSSES, code, detail);
}
