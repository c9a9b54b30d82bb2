import type { Command } from "commander";
import type { SecretOptions } from "../secrets/options.ts";
import { readChoice, readDomain, readPublicUrl } from "../settings/values.ts";
import { readCommand, readHost, readPattern, readRemotePort, readUser } from "./values.ts";

/** What `--tunnel` takes. */
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

/** One of them. */
export type TunnelName = (typeof TUNNEL_NAMES)[number];

/** Options that say how the receiver is reached from outside. */
export interface TunnelOptions {
  readonly tunnel?: TunnelName;
  readonly domain?: string;
  readonly publicUrl?: URL;
  readonly sshHost?: string;
  readonly sshPort?: number;
  readonly sshUser?: string;
  readonly sshIdentity?: string;
  readonly sshRemotePort?: number;
  readonly tunnelCommand?: readonly string[];
  readonly tunnelUrlPattern?: string;
}

/** The options of a command that may be reached from outside. */
export interface ReachableOptions extends TunnelOptions, SecretOptions {
  /** Of the endpoint. */
  readonly path?: string;
  /** The variable of an API key, which is not for the tunnel's programs. */
  readonly apiKeyEnv?: string;
}

/** The options that belong to some tunnels only. */
export const TUNNEL_FLAGS = [
  "domain",
  "publicUrl",
  "sshHost",
  "sshPort",
  "sshUser",
  "sshIdentity",
  "sshRemotePort",
  "tunnelCommand",
  "tunnelUrlPattern",
] as const satisfies readonly (keyof TunnelOptions)[];

/** One of them. */
export type TunnelFlag = (typeof TUNNEL_FLAGS)[number];

/** Adds them to a command. */
export function addTunnelOptions(command: Command): Command {
  return command
    .option(
      "--tunnel <name>",
      `open a tunnel to a public address: ${TUNNEL_NAMES.join(", ")}`,
      readChoice(TUNNEL_NAMES),
    )
    .option(
      "--domain <name>",
      "with --tunnel ngrok, localhost.run or serveo, domain of your account to use",
      readDomain,
    )
    .option(
      "--public-url <url>",
      "public address that already leads here, or to the port of --tunnel ssh: check that it does",
      readPublicUrl,
    )
    .option(
      "--ssh-host <host>",
      "with --tunnel ssh, your server, or a name of ~/.ssh/config; with a service, another host of it",
      readHost,
    )
    .option(
      "--ssh-port <n>",
      "port of the SSH server (default: the service's, or what ~/.ssh/config says)",
      readRemotePort,
    )
    .option(
      "--ssh-user <name>",
      "who logs in (default: the service's guest, or what ~/.ssh/config says)",
      readUser,
    )
    .option(
      "--ssh-identity <file>",
      "private key to log in with (default: your SSH agent and ~/.ssh; for services a key of hookporter's own)",
    )
    .option(
      "--ssh-remote-port <n>",
      "with --tunnel ssh, port on the server that the public address leads to",
      readRemotePort,
    )
    .option(
      "--tunnel-command <command>",
      "with --tunnel command, program and arguments, without a shell; {target}, {host} and {port} are filled in",
      readCommand,
    )
    .option(
      "--tunnel-url-pattern <regex>",
      "with --tunnel command, regular expression for the address in its output, or its first group",
      readPattern,
    );
}
