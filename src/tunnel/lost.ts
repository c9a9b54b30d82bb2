import type { TunnelFailure } from "./provider.ts";

/** Why a tunnel is lost, where its provider gave no reason. `docs/tunnel.md` lists the same. */
export const LOSSES = {
  tunnel_silent: {
    message: "the provider gave no address in time",
    fix: "check the network; it is started again",
  },
  tunnel_lost: { message: "the connection was lost", fix: "nothing to do: it is opened again" },
  tunnel_unreachable: {
    message: "the public address does not lead here",
    fix: "open it in a browser to see who answers; 404 from here is right",
  },
  provider_crashed: {
    message: "the provider failed in a way that nobody foresaw",
    fix: "it is started again; if it goes on, report it",
  },
  tunnel_ended: { message: "the process of the provider ended", fix: "nothing to do: it is started again" },
} as const;

/** A loss by its code, with what is known of it. */
export function loss(code: keyof typeof LOSSES, detail?: string): TunnelFailure {
  const { message, fix } = LOSSES[code];
  return { code, message: detail ? `${message}: ${detail}` : message, fix, permanent: false };
}
