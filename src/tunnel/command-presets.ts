import type { CommandSettings } from "./command.ts";

/**
 * Programs of other makers, by the name of the tunnel. Each is run as its documentation says, and its address is found
 * as it prints it; other addresses in its output, such as those of its service's pages, do not fit.
 */
export const COMMAND_PRESETS = {
  // `|  https://four-random-words-here.trycloudflare.com  |`; when the service fails it names its API under that domain.
  cloudflared: {
    command: ["cloudflared", "tunnel", "--no-autoupdate", "--url", "{target}"],
    urlPattern: String.raw`https://(?!api\.)[a-z0-9-]+\.trycloudflare\.com(?![\w.-])`,
  },
  // `https://machine.tailnet.ts.net/`, a line of its own.
  tailscale: {
    command: ["tailscale", "funnel", "{target}"],
    urlPattern: String.raw`^https://(?:[a-z0-9-]+\.)+ts\.net(?::\d+)?/?$`,
  },
  // `listening at bore.pub:12345`: plain TCP, so plain HTTP.
  bore: {
    command: ["bore", "local", "{port}", "--local-host", "{host}", "--to", "bore.pub"],
    urlPattern: String.raw`listening at ([\w.-]+:\d+)$`,
    scheme: "http",
  },
  // `https://x.share.zrok.io` (version 1) or `x.shares.zrok.io` (version 2), inside a JSON line where there is no terminal.
  zrok: {
    command: ["zrok", "share", "public", "{target}", "--headless"],
    urlPattern: String.raw`(?<![\w.-])[a-z0-9-]+\.shares?\.zrok\.io(?![\w.-])`,
  },
} as const satisfies Readonly<Record<string, CommandSettings>>;
