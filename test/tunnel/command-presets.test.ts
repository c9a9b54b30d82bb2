import { expect, it } from "vitest";
import { COMMAND_PRESETS } from "../../src/tunnel/command-presets.ts";

const JSON_LINE = String.raw`{"level":"INFO","msg":"access your zrok share at the following endpoints:\n 1yiutxunuio0.shares.zrok.io"}`;

it.each([
  [
    "cloudflared",
    "2026-01-02T03:04:05Z INF |  https://four-random-words-here.trycloudflare.com  |",
    "https://four-random-words-here.trycloudflare.com",
  ],
  ["tailscale", "https://machine.tailnet-1234.ts.net/", "https://machine.tailnet-1234.ts.net/"],
  ["tailscale", "https://machine.tailnet.ts.net:8443", "https://machine.tailnet.ts.net:8443"],
  [
    "bore",
    "2026-01-02T03:04:05.678901Z  INFO bore_cli::client: listening at bore.pub:21436",
    "bore.pub:21436",
  ],
  ["zrok", "https://3s9fddkilbi6.share.zrok.io", "3s9fddkilbi6.share.zrok.io"],
  ["zrok", JSON_LINE, "1yiutxunuio0.shares.zrok.io"],
] as const)("%s: finds the address in %j", (name, line, address) => {
  const match = new RegExp(COMMAND_PRESETS[name].urlPattern).exec(line);
  expect(match?.[1] ?? match?.[0]).toBe(address);
});

it.each([
  [
    "cloudflared",
    'failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": connection refused',
  ],
  ["cloudflared", "see https://developers.cloudflare.com/cloudflare-one/connections/connect-apps"],
  ["cloudflared", "https://words.trycloudflare.com.evil.example.com"],
  ["tailscale", "https://login.tailscale.com/f/funnel?node=n123"],
  ["tailscale", "|-- proxy http://127.0.0.1:3000"],
  ["tailscale", "https://machine.tailnet.ts.net.evil.example.com/"],
  ["bore", "connected to server remote_port=21436"],
  ["zrok", "https://api-v2.zrok.io"],
  ["zrok", "https://x.share.zrok.io.evil.example.com"],
  ["zrok", "https://docs.zrok.io/docs/guides/share"],
] as const)("%s: finds no address in %j", (name, line) => {
  expect(line).not.toMatch(new RegExp(COMMAND_PRESETS[name].urlPattern));
});
