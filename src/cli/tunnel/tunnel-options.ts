import { describeError } from "../../base/errors.ts";
import type { CliCommand } from "../cli-command.ts";
import { UnexpectedValue } from "../input-errors.ts";
import type { WithheldOptions } from "../secrets/child-environment.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import {
  readChoice,
  readCommand,
  readDomain,
  readPublicUrl,
  wholeNumber,
} from "../settings/values.ts";

export const TUNNEL_NAMES = [
  "ngrok",
  "localhost.run",
  "pinggy",
  "serveo",
  "ssh",
  "cloudflared",
  "tailscale",
  "bore",
  "zrok",
  "command",
] as const;

export type TunnelName = (typeof TUNNEL_NAMES)[number];

export interface TunnelOptions {
  readonly tunnel?: TunnelName;
  readonly domain?: string;
  readonly publicUrl?: URL;
  readonly sshHost?: string;
  readonly sshIdentity?: string;
  readonly sshRemotePort?: number;
  readonly tunnelCommand?: readonly string[];
  readonly tunnelUrlPattern?: string;
}

export interface ReachableOptions extends TunnelOptions, SecretOptions, WithheldOptions {
  readonly path?: string;
  /** Whether the service is told about each address. */
  readonly subscribe?: boolean;
}

/** The options that apply only to some tunnels. */
export const TUNNEL_FLAGS = [
  "domain",
  "publicUrl",
  "sshHost",
  "sshIdentity",
  "sshRemotePort",
  "tunnelCommand",
  "tunnelUrlPattern",
] as const satisfies readonly (keyof TunnelOptions)[];

export type TunnelFlag = (typeof TUNNEL_FLAGS)[number];

export function addTunnelOption(command: CliCommand, effect: string): CliCommand {
  return command.common(
    "--tunnel <name>",
    `${effect}: ${TUNNEL_NAMES.join(", ")}`,
    readChoice(TUNNEL_NAMES),
  );
}

export function addTunnelOptions(command: CliCommand): CliCommand {
  return addTunnelOption(command, "open a tunnel to a public address")
    .setting(
      "--domain <name>",
      "with --tunnel ngrok, localhost.run or serveo: the domain of your account to use",
      readDomain,
    )
    .option(
      "--public-url <url>",
      "existing public URL that forwards here, or to the port of --tunnel ssh; listen checks that it does",
      readPublicUrl,
    )
    .option(
      "--ssh-host <host>",
      "with --tunnel ssh: your server, a name from ~/.ssh/config, or ssh://user@host:port; with an SSH service: another of its hosts",
      readHost,
    )
    .setting(
      "--ssh-identity <file>",
      "private key to log in with (default: your SSH agent and ~/.ssh; for services, hookporter's own key)",
    )
    .setting(
      "--ssh-remote-port <n>",
      "with --tunnel ssh: port on the server that the public address leads to",
      readRemotePort,
    )
    .option(
      "--tunnel-command <command>",
      "with --tunnel command: program and arguments, run without a shell; {target}, {host} and {port} are replaced",
      readCommand,
    )
    .setting(
      "--tunnel-url-pattern <regex>",
      "with --tunnel command: regular expression for the address in the output (whole match, or first group)",
      readPattern,
    );
}

/**
 * The name or IP address of another machine, a name in the SSH configuration, or a URL such as
 * `ssh://me@box:2222`.
 */
export function readHost(text: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.:-]*$/u.test(text)) return text;
  if (/^ssh:\/\/(?:[\w.+][\w.+-]*@)?(?:[\w.][\w.-]*|\[[\da-f:]+\])(?::\d{1,5})?$/i.test(text))
    return text;
  throw new UnexpectedValue("a host such as ssh.example.com or ssh://me@ssh.example.com:2222");
}

export const readRemotePort = wholeNumber(1, 65_535, "a port from 1 to 65535");

export function readPattern(text: string): string {
  try {
    // At most 8192 characters: it looks at lines of a program, which are cut.
    new RegExp(text);
    return text;
  } catch (thrown) {
    throw new UnexpectedValue(`a regular expression: ${describeError(thrown)}`);
  }
}
