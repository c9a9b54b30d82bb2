import { Command } from "commander";
import { expect, it } from "vitest";
import { withFittingTunnel } from "../../src/cli/fitting-tunnel.ts";
import type { TunnelOptions } from "../../src/cli/tunnel-options.ts";

/** The remaining options, given typed ones and settings. */
function left(typed: TunnelOptions, settings: TunnelOptions = {}): TunnelOptions {
  const command = new Command();
  for (const [name, value] of Object.entries(settings)) command.setOptionValueWithSource(name, value, "env");
  for (const [name, value] of Object.entries(typed)) command.setOptionValueWithSource(name, value, "cli");
  return withFittingTunnel({ ...settings, ...typed }, command);
}

const publicUrl = new URL("https://kept.test");

it("fitting options are kept", () => {
  for (const options of [{}, { publicUrl }, { tunnel: "ngrok" as const, domain: "a.test" }]) {
    expect(left(options)).toEqual(options);
    expect(left({}, options)).toEqual(options);
  }
});

it.each<TunnelOptions>([
  { domain: "a.test" },
  { tunnel: "ngrok", publicUrl },
  { publicUrl, domain: "a.test" },
])("typed options that do not fit are refused: %o", (options) =>
  expect(() => left(options)).toThrow(expect.objectContaining({ code: "usage" })),
);

it("settings that do not fit a typed option, or have no effect, are dropped", () => {
  expect(left({}, { domain: "a.test" })).toEqual({});
  expect(left({ tunnel: "ngrok" }, { publicUrl })).toEqual({ tunnel: "ngrok" });
  expect(left({ publicUrl }, { tunnel: "ngrok", domain: "a.test" })).toEqual({ publicUrl });
});
