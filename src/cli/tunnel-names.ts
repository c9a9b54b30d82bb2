/** What `--tunnel` takes. */
export const TUNNEL_NAMES = ["ngrok"] as const;

/** One of them. */
export type TunnelName = (typeof TUNNEL_NAMES)[number];
