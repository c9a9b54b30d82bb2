import { Command } from "commander";
import { expect, it } from "vitest";
import { readForward } from "../../../src/cli/handlers/values.ts";
import { FITTING_FLAGS } from "../../../src/cli/listen/fitting-flags.ts";
import type { ListenOptions } from "../../../src/cli/listen/listen-options.ts";
import { resolveOptionConflicts } from "../../../src/cli/settings/fitting.ts";
import { commands } from "../all-commands.ts";

/** The remaining options, given typed ones and settings. */
function left(typed: ListenOptions, settings: ListenOptions = {}): ListenOptions {
  const command = new Command();
  for (const [name, value] of Object.entries(settings))
    command.setOptionValueWithSource(name, value, "env");
  for (const [name, value] of Object.entries(typed))
    command.setOptionValueWithSource(name, value, "cli");
  return resolveOptionConflicts({ ...settings, ...typed }, command, FITTING_FLAGS);
}

const usage = expect.objectContaining({ code: "usage" });
const publicUrl = new URL("https://kept.test");
const stream = new URL("wss://stream.test");
const one = readForward("3000");

it("the table names only flags that `listen` has", () => {
  const [, listen] = commands.find(([name]) => name === "listen") ?? [];
  const names = new Set(listen?.options.map((option) => option.attributeName()));
  const rows = Object.entries(FITTING_FLAGS).flatMap(([flag, { needs = [], excludes = [] }]) => [
    flag,
    ...excludes,
    ...needs.map((other) => (typeof other === "string" ? other : other.flag)),
  ]);
  expect(rows.filter((name) => !names.has(name))).toEqual([]);
});

it.each<ListenOptions>([
  {},
  { baseUrl: "https://api.test", live: true, apiKeyEnv: "KEY", subscribe: true },
  { live: true, apiKeyEnv: "KEY", stream },
  { baseUrl: "https://api.test", accessTokenEnv: "TOKEN", subscribe: true },
  { publicUrl },
  { tunnel: "ngrok", domain: "a.test" },
  { tunnel: "ssh", sshHost: "box", sshRemotePort: 1, publicUrl },
  { tunnel: "command", tunnelCommand: ["x"], tunnelUrlPattern: "y" },
  { count: 2, timeout: 5 },
  { waitFor: "payment.*", timeout: 5 },
  { sync: true, forwardTo: one },
  { catchUp: true, handlers: "h.js" },
  { catchUp: true, forwardTo: one },
  { catchUp: true, exec: ["sh"] },
  { catchUp: false },
  { deadLetters: "block", orderBy: "data.id" },
  {
    header: [{ name: "x-team", value: "a" }],
    forwardHost: "app.test",
    insecure: true,
    forwardTo: one,
  },
])("fitting options are kept: %o", (options) => {
  expect(left(options)).toEqual(options);
  expect(left({}, options)).toEqual(options);
});

it.each<ListenOptions>([
  { baseUrl: "https://api.test" },
  { baseUrl: "https://api.test", stream },
  { giveUp: { attempts: 2 } },
  { forwardWhere: { path: "data.id", value: "1" } },
  { maxForwards: 2 },
  { live: true },
  { apiKeyEnv: "KEY" },
  { accessTokenEnv: "TOKEN" },
  { accessTokenEnv: "TOKEN", stream },
  { accessTokenEnv: "TOKEN", apiKeyEnv: "KEY", subscribe: true },
  { domain: "a.test" },
  { tunnel: "ngrok", publicUrl },
  { publicUrl, domain: "a.test" },
  { tunnel: "pinggy", domain: "a.test" },
  { tunnel: "serveo", sshRemotePort: 1 },
  { tunnel: "cloudflared", tunnelCommand: ["x"] },
  { count: 2, waitFor: "payment.*" },
  { timeout: 5 },
  { catchUp: true },
  { deadLetters: "block" },
  { sync: true },
  { sync: true, forwardTo: readForward("3001", one) },
  { sync: true, forwardTo: readForward("payment.*=3001") },
  { sync: true, forwardTo: one, handlers: "h.js" },
  { sync: true, forwardTo: one, exec: ["sh"] },
  { header: [{ name: "x-team", value: "a" }] },
  { header: [{ name: "x-service-signature", value: "a" }], forwardTo: one },
  { headerEnv: [{ name: "x-own", value: "A" }], signatureHeader: "x-own", forwardTo: one },
  { forwardHost: "app.test" },
  { insecure: true },
])("typed options that do not fit are refused: %o", (options) => {
  expect(() => left(options)).toThrow(usage);
});

it("settings that do not fit a typed option, or have no effect, are dropped", () => {
  expect(left({}, { baseUrl: "https://api.test", live: true })).toEqual({});
  expect(left({}, { domain: "a.test" })).toEqual({});
  expect(left({ tunnel: "ngrok" }, { publicUrl })).toEqual({ tunnel: "ngrok" });
  const own = { tunnel: "ssh", sshHost: "box", sshRemotePort: 1 } as const;
  expect(left({ publicUrl }, own)).toEqual({ ...own, publicUrl });
  expect(left({}, { tunnel: "ngrok", publicUrl })).toEqual({ tunnel: "ngrok" });
  expect(left({ publicUrl }, { tunnel: "ngrok", domain: "a.test" })).toEqual({ publicUrl });
  expect(left({ waitFor: "payment.*" }, { count: 2 })).toEqual({ waitFor: "payment.*" });
  expect(left({}, { timeout: 5 })).toEqual({});
  expect(left({ handlers: "h.js" }, { sync: true, forwardTo: one })).toEqual({
    handlers: "h.js",
    forwardTo: one,
  });
  expect(left({}, { sync: true, handlers: "h.js", catchUp: true, deadLetters: "block" })).toEqual({
    handlers: "h.js",
    catchUp: true,
  });
});

it("an access token that the command line names overrides a setting for the API key, and vice versa", () => {
  const token = { accessTokenEnv: "TOKEN" };
  const key = { apiKeyEnv: "KEY" };
  expect(left({ subscribe: true, ...token }, key)).toEqual({ subscribe: true, ...token });
  expect(left({ subscribe: true, ...key }, token)).toEqual({ subscribe: true, ...key });
  expect(left({}, { ...token, ...key })).toEqual({});
  expect(() => left({ subscribe: true }, { ...token, ...key })).toThrow(usage);
});

it("settings that contradict each other, or would silently ignore a typed option, are refused", () => {
  expect(() => left({ sync: true, forwardTo: one }, { handlers: "h.js" })).toThrow(usage);
  expect(() => left({}, { count: 2, waitFor: "payment.*" })).toThrow(usage);
  expect(() => left({}, { sync: true, forwardTo: readForward("payment.*=3001") })).toThrow(usage);
});

it.each([
  ["4400", 4400, false],
  ["localhost:4400/other", 4400, false],
  ["payment.*=4400", 4400, false],
  ["4400", undefined, false],
  ["80", 80, false],
  ["4401", 4400, true],
  ["[::1]:4400", 4400, true],
  ["https://localhost", 80, true],
])("target %s with own port %s: %s", (target, port, fits) => {
  const check = () => left({ forwardTo: readForward(target), ...(port !== undefined && { port }) });
  if (fits) expect(check).not.toThrow();
  else expect(check).toThrow(usage);
});
