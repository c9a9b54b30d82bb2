import { resolve } from "node:path";
import type { TunnelTarget } from "../provider.ts";
import { KNOWN_HOSTS, OWN_KEY } from "./files.ts";
import { SSH_SERVICES } from "./services.ts";
import type { SshSettings } from "./settings.ts";

/**
 * The arguments of the OpenSSH client. It is run in the folder of the settings, so that options name bare files: a path
 * with blanks, quotes or percent signs means something else in every version. No secret is among them.
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
    // What went wrong is read from what ssh says; that a forward is up it says at this level only.
    `LogLevel=${service === undefined ? "DEBUG1" : "INFO"}`,
    ...UNDISTURBED,
    ...identity(settings),
  ];
  const { user, host, sshPort, forward } = serverOf(settings);
  return [
    "-T",
    ...options.flatMap((option) => ["-o", option]),
    ...(sshPort === undefined ? [] : ["-p", String(sshPort)]),
    ...(service === undefined ? ["-N"] : []),
    ...["-R", `${forward}:${bracketed(target.host)}:${target.port}`],
    ...["--", user === undefined ? host : `${user}@${host}`],
  ];
}

/**
 * What the user's SSH configuration must not change: a connection shared with other sessions is not ours to end, and
 * nothing of this machine is offered to the server but the forwarded port. Readable names in the file of known hosts
 * let a user see what is in it.
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
  /** What the server is to listen on. */
  readonly forward: string;
}

function serverOf(settings: SshSettings): Server {
  const { user, sshPort } = settings;
  const given = { ...(user !== undefined && { user }), ...(sshPort !== undefined && { sshPort }) };
  if (settings.service === undefined) {
    return { host: settings.host, forward: String(settings.remotePort), ...given };
  }
  const { remotePort, readUrl: _, ...facts } = SSH_SERVICES[settings.service];
  const { host, domain } = settings;
  const forward = domain === undefined ? String(remotePort) : `${domain}:${remotePort}`;
  return { ...(host === undefined ? facts : { host }), forward, ...given };
}

function identity({ service, identityFile }: SshSettings): readonly string[] {
  if (identityFile !== undefined) return ["IdentitiesOnly=yes", `IdentityFile=${quoted(identityFile)}`];
  return service === undefined ? [] : ["IdentitiesOnly=yes", `IdentityFile=${OWN_KEY}`];
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** A path as a value of an option, where blanks end a value and percent signs stand for something. */
function quoted(path: string): string {
  return `"${resolve(path).replaceAll("\\", "/").replaceAll("%", "%%")}"`;
}
