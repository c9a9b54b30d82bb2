import { HookporterError } from "../errors.ts";
import type { CommandSettings } from "../tunnel/command.ts";
import type { TunnelOptions } from "./tunnel-options.ts";

/**
 * The command provider's settings for a program of the user's choice.
 *
 * @throws HookporterError `usage` if the program or the pattern is missing
 */
export function commandSettings({ tunnelCommand, tunnelUrlPattern }: TunnelOptions): CommandSettings {
  if (tunnelCommand === undefined || tunnelUrlPattern === undefined) {
    throw new HookporterError(
      "usage",
      'expected --tunnel command with --tunnel-command and --tunnel-url-pattern, such as "my-tunnel {port}" and "https://[a-z0-9-]+\\.tunnels\\.example\\.com"',
    );
  }
  return { command: tunnelCommand, urlPattern: tunnelUrlPattern };
}
