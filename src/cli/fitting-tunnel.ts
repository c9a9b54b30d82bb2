import type { Command } from "commander";
import { HookporterError } from "../errors.ts";
import { isTyped } from "./config.ts";
import { TUNNEL_KINDS } from "./tunnel-kinds.ts";
import { TUNNEL_NAMES } from "./tunnel-names.ts";
import { TUNNEL_FLAGS, type TunnelFlag, type TunnelOptions } from "./tunnel-options.ts";

/**
 * Drops settings that do not apply to the typed tunnel: a setting must not make a plain command fail. Typed options must
 * fit.
 *
 * @throws HookporterError `usage`
 */
export function withFittingTunnel<Options extends TunnelOptions>(
  options: Options,
  command: Command,
): Options {
  const typed = (name: keyof TunnelOptions) => isTyped(command, name);
  const replaced =
    typed("publicUrl") && !typed("tunnel") && !fits("publicUrl", options.tunnel) ? "tunnel" : undefined;
  const tunnel = replaced === undefined ? options.tunnel : undefined;
  const unfit = TUNNEL_FLAGS.filter((flag) => options[flag] !== undefined && !fits(flag, tunnel));
  for (const flag of unfit.filter(typed)) throw new HookporterError("usage", misfit(flag, tunnel));
  const dropped = new Set<string | undefined>([replaced, ...unfit]);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !dropped.has(name))) as Options;
}

function fits(flag: TunnelFlag, tunnel: TunnelOptions["tunnel"]): boolean {
  return tunnel === undefined ? flag === "publicUrl" : TUNNEL_KINDS[tunnel].flags.includes(flag);
}

function misfit(flag: TunnelFlag, tunnel: TunnelOptions["tunnel"]): string {
  const name = `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const ways = TUNNEL_NAMES.filter((one) => fits(flag, one)).map((one) => `--tunnel ${one}`);
  const expected = [...ways, ...(fits(flag, undefined) ? ["no --tunnel"] : [])].join(" or ");
  return `expected ${name} with ${expected}, got ${tunnel === undefined ? "none" : `--tunnel ${tunnel}`}`;
}
