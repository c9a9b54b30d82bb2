/** What `--tunnel` takes. */
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

/** One of them. */
export type TunnelName = (typeof TUNNEL_NAMES)[number];
