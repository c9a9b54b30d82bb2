import type { CommandSettings } from "../../tunnel/command.ts";
import { COMMAND_PRESETS } from "../../tunnel/command-presets.ts";
import type { SshService } from "../../tunnel/ssh/settings.ts";
import type { TunnelTiming } from "../../tunnel/timing.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { ngrokSettings } from "./ngrok-settings.ts";
import type { ReachableOptions, TunnelFlag, TunnelName, TunnelOptions } from "./options.ts";
import { ownServerSettings, SSH_FLAGS, serviceSettings } from "./ssh-settings.ts";

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
 * Heartbeats detect a dead session in ten seconds. Only probes notice that the address of a live one is dead, and they count
 * against a free account's 20 000 requests a month: one every 20 seconds would use them up in 5 days, one every 5 minutes
 * uses less than half.
 */
export const NGROK_TIMING = { idleProbeEvery: 300_000, inUse: 600_000, probeBudget: 200 };

/** ssh itself gives up after 20 seconds, and then reports the reason. */
const SSH_TIMING = { start: 25_000 };

/** The provider gives up after 30 seconds. The addresses of some services take a while to be known on the internet. */
export const COMMAND_TIMING = { start: 35_000, arrival: 60_000, patience: 180_000 };

export const TUNNEL_KINDS: Readonly<Record<TunnelName, TunnelKind>> = {
  ngrok: { provider: "ngrok", settings: ngrokSettings, flags: ["domain"], timing: NGROK_TIMING },
  "localhost.run": service("localhost.run", "domain"),
  pinggy: service("pinggy"), // its domains belong to a token
  serveo: service("serveo", "domain"),
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

function service(name: SshService, ...more: readonly TunnelFlag[]): TunnelKind {
  return ssh(serviceSettings(name), ...more);
}

function ssh(settings: TunnelKind["settings"], ...more: readonly TunnelFlag[]): TunnelKind {
  return { provider: "ssh", settings, flags: [...SSH_FLAGS, ...more], timing: SSH_TIMING };
}

function preset(name: keyof typeof COMMAND_PRESETS): TunnelKind {
  return { provider: "command", settings: () => COMMAND_PRESETS[name], flags: [], timing: COMMAND_TIMING };
}

/**
 * The command provider's settings for a program of the user's choice. Throws `usage` if the program or the pattern is
 * missing.
 */
function commandSettings({ tunnelCommand, tunnelUrlPattern }: TunnelOptions): CommandSettings {
  if (tunnelCommand === undefined || tunnelUrlPattern === undefined)
    throw usageError(
      'expected --tunnel command with --tunnel-command and --tunnel-url-pattern, such as "my-tunnel {port}" and "https://[a-z0-9-]+\\.tunnels\\.example\\.com"',
    );
  return { command: tunnelCommand, urlPattern: tunnelUrlPattern };
}
