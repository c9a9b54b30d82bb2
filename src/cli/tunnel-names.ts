/** The values of `--tunnel`. */
export const TUNNEL_NAMES = [
  "ngrok",
  "localhost.run",
  "pinggy",
  "serveo",
  "ssh",
  "cloudflared",
  "tailscale",
  "bore",
  "zrok",
  "command",
] as const;

/** One of {@link TUNNEL_NAMES}. */
export type TunnelName = (typeof TUNNEL_NAMES)[number];
