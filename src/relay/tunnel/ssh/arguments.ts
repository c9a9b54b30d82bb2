import { resolve } from "node:path";
import type { TunnelTarget } from "../provider.ts";
import { KNOWN_HOSTS, OWN_KEY } from "./files.ts";
import { SSH_SERVICES } from "./services.ts";
import type { SshSettings } from "./settings.ts";

/**
 * The arguments of the OpenSSH client. It runs in the settings' folder, so that options contain
 * bare file names: versions interpret paths with blanks, quotes or percent signs differently. No
 * argument is a secret.
 */
export function sshArguments(settings: SshSettings, target: TunnelTarget): readonly string[] {
  const { connectTimeout = 10, aliveInterval = 15, service } = settings;
  const options = [
    "BatchMode=yes",
    "ExitOnForwardFailure=yes",
    `ServerAliveInterval=${aliveInterval}`,
    "ServerAliveCountMax=2",
    `ConnectTimeout=${connectTimeout}`,
    "StrictHostKeyChecking=accept-new",
    `UserKnownHostsFile=${KNOWN_HOSTS}`,
    // Failures are read from ssh's output; only at this level does it say that a forward is up.
    `LogLevel=${service === undefined ? "DEBUG1" : "INFO"}`,
    ...UNDISTURBED,
    ...identity(settings),
  ];
  const { user, host, sshPort, forward } = serverOf(settings);
  return [
    "-T",
    // The user's configuration is for servers of the user: it may forward more, and send variables.
    ...(service === undefined ? [] : ["-F", "none"]),
    ...options.flatMap((option) => ["-o", option]),
    ...(sshPort === undefined ? [] : ["-p", String(sshPort)]),
    ...(service === undefined ? ["-N"] : []),
    "-R",
    `${forward}:${bracketed(target.host)}:${target.port}`,
    "--",
    user === undefined ? host : `${user}@${host}`,
  ];
}

/**
 * Options that override the user's SSH configuration: we must not end a connection that other
 * sessions share, and must offer the server nothing of this machine except the forwarded port.
 * Readable names in the known hosts file let a user see what is in it.
 */
const UNDISTURBED = [
  "HashKnownHosts=no",
  "ControlMaster=no",
  "ControlPath=none",
  "ForwardAgent=no",
  "ForwardX11=no",
  "Tunnel=no",
  "PermitLocalCommand=no",
  "RemoteCommand=none",
];

interface Server {
  readonly host: string;
  readonly user?: string;
  readonly sshPort?: number;
  /** What the server should listen on. */
  readonly forward: string;
}

function serverOf(settings: SshSettings): Server {
  if (settings.service === undefined)
    return { host: settings.host, forward: String(settings.remotePort) };
  const { remotePort, readUrl: _, ...facts } = SSH_SERVICES[settings.service];
  const { host, domain } = settings;
  const forward = domain === undefined ? String(remotePort) : `${domain}:${remotePort}`;
  return { ...(host === undefined ? facts : { host }), forward };
}

function identity({ service, identityFile }: SshSettings): readonly string[] {
  if (identityFile !== undefined)
    return ["IdentitiesOnly=yes", `IdentityFile=${quoted(identityFile)}`];
  return service === undefined ? [] : ["IdentitiesOnly=yes", `IdentityFile=${OWN_KEY}`];
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** A path as an option's value, in which blanks and percent signs have a special meaning. */
function quoted(path: string): string {
  return `"${resolve(path).replaceAll("\\", "/").replaceAll("%", "%%")}"`;
}
