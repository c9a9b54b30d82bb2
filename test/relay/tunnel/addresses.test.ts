import { expect, it } from "vitest";
import { COMMAND_PRESETS } from "../../../src/relay/tunnel/command-presets.ts";
import { readPublicUrl } from "../../../src/relay/tunnel/public-url.ts";
import { SSH_SERVICES } from "../../../src/relay/tunnel/ssh/services.ts";

/** The address that a tunnel of this kind has by a line that its program or service prints. */
function addressIn(name: string, line: string): string | undefined {
  const service = Object.entries(SSH_SERVICES).find(([key]) => key === name)?.[1];
  if (service !== undefined) return service.readUrl(line);
  const preset = Object.entries(COMMAND_PRESETS).find(([key]) => key === name)?.[1];
  const match = new RegExp(preset?.urlPattern ?? "no preset").exec(line);
  return match?.[1] ?? match?.[0];
}

const ZROK_JSON = String.raw`{"level":"INFO","msg":"access your zrok share at the following endpoints:\n 1yiutxunuio0.shares.zrok.io"}`;

it.each([
  [
    "cloudflared",
    "03:04:05Z INF |  https://one-two.trycloudflare.com  |",
    "https://one-two.trycloudflare.com",
  ],
  ["tailscale", "https://box.tailnet-1234.ts.net/", "https://box.tailnet-1234.ts.net/"],
  ["tailscale", "https://box.tailnet.ts.net:8443", "https://box.tailnet.ts.net:8443"],
  ["bore", "05.67Z  INFO bore_cli::client: listening at bore.pub:21436", "bore.pub:21436"],
  ["zrok", "https://3s9fddkilbi6.share.zrok.io", "3s9fddkilbi6.share.zrok.io"],
  ["zrok", ZROK_JSON, "1yiutxunuio0.shares.zrok.io"],
  [
    "localhost.run",
    "x.lhr.life tunneled with tls termination, https://x.lhr.life",
    "https://x.lhr.life",
  ],
  ["localhost.run", "my.test tunneled with tls termination, https://my.test", "https://my.test"],
  [
    "pinggy",
    "https://rnabc-192-0-2-7.a.free.pinggy.link",
    "https://rnabc-192-0-2-7.a.free.pinggy.link",
  ],
  ["serveo", "Forwarding HTTP traffic from https://relego.serveo.net", "https://relego.serveo.net"],
  [
    "serveo",
    "Forwarding HTTP traffic from https://0.serveousercontent.com",
    "https://0.serveousercontent.com",
  ],
])("%s: finds the address in %j", (name, line, address) => {
  expect(addressIn(name, line)).toBe(address);
});

it.each([
  [
    "cloudflared",
    'failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": refused',
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
  ["localhost.run", "To set up and manage custom domains go to https://admin.localhost.run/"],
  ["localhost.run", "https://localhost.run/docs/"],
  ["localhost.run", "x.lhr.life tunneled with tls termination, https://evil.example.com"],
  ["localhost.run", "127.0.0.1 tunneled with tls termination, https://127.0.0.1"],
  ["pinggy", "http://rnabc.a.free.pinggy.link"],
  ["pinggy", "https://pinggy.io"],
  ["pinggy", "https://dashboard.pinggy.io"],
  ["pinggy", "Upgrade at https://rnabc.a.free.pinggy.link"],
  ["pinggy", "https://localhost"],
  ["pinggy", "https://169.254.169.254"],
  ["pinggy", "https://[::1]"],
  ["pinggy", "https://10.0.0.1:8080"],
  ["pinggy", "https://0x7f.1"],
  ["serveo", "To request a domain of your own, see https://serveo.net/docs"],
  ["serveo", "HTTP request from 192.0.2.1 to https://relego.serveo.net/"],
  ["serveo", "Forwarding HTTP traffic from http://relego.serveo.net"],
  ["serveo", "Forwarding HTTP traffic from https://relego.serveo.net@evil.example.com"],
  ["serveo", "Forwarding HTTP traffic from https://relego.serveo.net:8443"],
])("%s: finds no address in %j", (name, line) => {
  expect(addressIn(name, line)).toBeUndefined();
});

it.each([
  ["https://x.example.com", "https://x.example.com"],
  ["HTTPS://X.Example.com/", "https://x.example.com"],
  ["http://bore.example.com:4021", "http://bore.example.com:4021"],
  ["https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"],
  ["", undefined],
  ["x.example.com", undefined],
  ["ftp://x.example.com", undefined],
  ["https://", undefined],
  ["https://user:word@x.example.com", undefined],
  ["https://x.example.com@evil.example.com", undefined],
  ["https://x.example.com/dashboard", undefined],
  ["https://x.example.com?token=1", undefined],
  ["https://x.example.com#top", undefined],
  ["https://x.example.com\\evil.example.com", undefined],
  ["https://x.example.com evil", undefined],
  ["https://x.example.com:99999", undefined],
  ["javascript:alert(1)", undefined],
])("%j as an address is %s", (text, url) => {
  expect(readPublicUrl(text)).toBe(url);
});
