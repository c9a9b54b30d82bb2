import type { CommandSettings } from "../../relay/tunnel/command.ts";
import { COMMAND_PRESETS } from "../../relay/tunnel/command-presets.ts";
import type { TunnelTiming } from "../../relay/tunnel/timing.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import type { Fit } from "../settings/fitting.ts";
import { ngrokSettings } from "./ngrok-settings.ts";
import { ownServerSettings, SSH_FLAGS, serviceSettings } from "./ssh-settings.ts";
import {
  type ReachableOptions,
  TUNNEL_FLAGS,
  TUNNEL_NAMES,
  type TunnelFlag,
  type TunnelName,
  type TunnelOptions,
} from "./tunnel-options.ts";

interface TunnelKind {
  /** A name in `PROVIDERS` of `tunnel/child.ts`; several kinds may share one. */
  readonly provider: string;
  /** Creates the settings for the provider's `open`, from options, environment and files. */
  readonly settings: (options: ReachableOptions, context: CliContext) => object;
  readonly flags: readonly TunnelFlag[];
  /** Overrides of `TUNNEL_TIMING`. */
  readonly timing?: Partial<TunnelTiming>;
}

/**
 * Heartbeats detect a dead session in ten seconds. Only probes notice that the address of a live
 * one is dead, and they count against a free account's 20 000 requests a month: one every 20
 * seconds would use them up in 5 days, one every 5 minutes uses less than half.
 */
export const NGROK_TIMING = { idleProbeEvery: 300_000, inUse: 600_000, probeBudget: 200 };

/** ssh itself gives up after 20 seconds, and then reports the reason. */
const SSH_TIMING = { start: 25_000 };

/**
 * The provider gives up after 30 seconds. The addresses of some services take a while to be known
 * on the internet.
 */
export const COMMAND_TIMING = { start: 35_000, arrival: 60_000, patience: 180_000 };

export const TUNNEL_KINDS: Readonly<Record<TunnelName, TunnelKind>> = {
  ngrok: { provider: "ngrok", settings: ngrokSettings, flags: ["domain"], timing: NGROK_TIMING },
  "localhost.run": ssh(serviceSettings("localhost.run"), "domain"),
  pinggy: ssh(serviceSettings("pinggy")), // its domains belong to a token
  serveo: ssh(serviceSettings("serveo"), "domain"),
  ssh: ssh(ownServerSettings, "sshRemotePort", "publicUrl"),
  cloudflared: preset("cloudflared"),
  tailscale: preset("tailscale"),
  bore: preset("bore"),
  zrok: preset("zrok"),
  command: {
    provider: "command",
    settings: commandSettings,
    flags: ["tunnelCommand", "tunnelUrlPattern"],
    timing: COMMAND_TIMING,
  },
};

export function ssh(settings: TunnelKind["settings"], ...more: readonly TunnelFlag[]): TunnelKind {
  return { provider: "ssh", settings, flags: [...SSH_FLAGS, ...more], timing: SSH_TIMING };
}

function preset(name: keyof typeof COMMAND_PRESETS): TunnelKind {
  return {
    provider: "command",
    settings: () => COMMAND_PRESETS[name],
    flags: [],
    timing: COMMAND_TIMING,
  };
}

/**
 * The command provider's settings for a program of the user's choice. Throws `usage` if the program
 * or the pattern is missing.
 */
function commandSettings({ tunnelCommand, tunnelUrlPattern }: TunnelOptions): CommandSettings {
  if (tunnelCommand === undefined || tunnelUrlPattern === undefined)
    throw usageError(
      'expected --tunnel command with --tunnel-command and the setting tunnelUrlPattern, such as "my-tunnel {port}" and "https://[a-z0-9-]+\\.tunnels\\.example\\.com"',
    );
  return { command: tunnelCommand, urlPattern: tunnelUrlPattern };
}

/**
 * What the flags that only some tunnels have can be combined with, taken from what each tunnel
 * reads.
 */
export const TUNNEL_FITS = tunnelFits();

function tunnelFits(): { readonly [Name in TunnelFlag]: Fit<ReachableOptions> } {
  const needs = (flag: TunnelFlag) => {
    const names = TUNNEL_NAMES.filter((name) => TUNNEL_KINDS[name].flags.includes(flag));
    const kinds = names.map((is) => ({ flag: "tunnel", is }) as const);
    return flag === "publicUrl" ? [...kinds, { flag: "tunnel", is: undefined } as const] : kinds;
  };
  const rows = TUNNEL_FLAGS.map((flag) => [flag, { needs: needs(flag) }]);
  return Object.fromEntries(rows) as { [Name in TunnelFlag]: Fit<ReachableOptions> };
}
