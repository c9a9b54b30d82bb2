import type { CommandSettings } from "./command.ts";

/**
 * Third-party tunnel programs, by tunnel name. Each is run as documented, and its address is
 * matched as it prints it. Other addresses in its output, such as its service's web pages, do not
 * match.
 */
export const COMMAND_PRESETS = {
  // `| https://four-random-words-here.trycloudflare.com |`; on failure it prints its API's address
  // under that domain.
  cloudflared: {
    command: ["cloudflared", "tunnel", "--no-autoupdate", "--url", "{target}"],
    urlPattern: String.raw`https://(?!api\.)[a-z0-9-]+\.trycloudflare\.com(?![\w.-])`,
  },
  // `https://machine.tailnet.ts.net/`, alone on its line.
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
  // `https://x.share.zrok.io` (version 1) or `x.shares.zrok.io` (version 2), within a line of JSON
  // if there is no terminal.
  zrok: {
    command: ["zrok", "share", "public", "{target}", "--headless"],
    urlPattern: String.raw`(?<![\w.-])[a-z0-9-]+\.shares?\.zrok\.io(?![\w.-])`,
  },
} as const satisfies Readonly<Record<string, CommandSettings>>;
