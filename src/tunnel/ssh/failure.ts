import { resolve } from "node:path";
import { shortText } from "../plain-text.ts";
import type { ProgramEnd } from "../program.ts";
import type { TunnelFailure } from "../provider.ts";

/** Every code of the ssh provider. `docs/tunnel.md` lists the same; a test compares both. */
export const SSH_CODES = {
  ssh_missing: {
    message: "the OpenSSH client cannot be run",
    fix: "install it, or use another tunnel",
    permanent: true,
  },
  ssh_config_invalid: {
    message: "the SSH configuration is not valid",
    fix: "repair the file that the message names",
    permanent: true,
  },
  ssh_host_key_changed: {
    message: "the server's key is not the one of before",
    fix: "somebody may be in between: ask whoever runs the server, and remove that line only if it has a new key",
    permanent: true,
  },
  ssh_key_unusable: {
    message: "a private key cannot be used, and no other is taken",
    fix: "its file must be its owner's alone (chmod 600) and whole",
    permanent: true,
  },
  ssh_denied: {
    message: "the server takes no key that it is shown",
    fix: "give the right one with --ssh-identity or in ssh-agent (one with a passphrase works from there only), and check --ssh-user",
    permanent: true,
  },
  ssh_forward_refused: {
    message: "the server will not listen for this tunnel",
    fix: "an earlier tunnel may hold the port or the name, which goes in time; else choose another, and see that the server allows TCP forwarding",
    permanent: false,
  },
  ssh_no_address: {
    message: "no address came in time",
    fix: "if it goes on, the service may say it in other words now: use --tunnel command with a pattern of your own",
    permanent: false,
  },
  ssh_host_unknown: {
    message: "the server's name has no address",
    fix: "check the name, and this machine's network",
    permanent: false,
  },
  ssh_timeout: {
    message: "the server does not answer",
    fix: "check this machine's network, and that no firewall is in the way",
    permanent: false,
  },
  ssh_unreachable: {
    message: "the server cannot be reached",
    fix: "check host and port, that an SSH server runs there, and this machine's network",
    permanent: false,
  },
  ssh_closed: {
    message: "the connection was lost",
    fix: "nothing to do: it is opened again; if it goes on, the server's log says why",
    permanent: false,
  },
  ssh_ended: {
    message: "ssh ended",
    fix: "nothing to do: it is started again; if it goes on, run ssh with the same host by hand and see what it says",
    permanent: false,
  },
} as const satisfies Record<string, Omit<TunnelFailure, "code">>;

/** One of the codes. */
export type SshCode = keyof typeof SSH_CODES;

/** ssh exits with 255 for everything: what it said tells the causes apart. The first that fits counts. */
const CAUSES: readonly (readonly [SshCode, RegExp])[] = [
  [
    "ssh_config_invalid",
    /: Bad configuration option: |terminating, \d+ bad configuration|^Bad owner or permissions/,
  ],
  ["ssh_host_key_changed", /REMOTE HOST IDENTIFICATION HAS CHANGED|^Host key verification failed/],
  ["ssh_denied", /\bPermission denied \(|Too many authentication failures/],
  ["ssh_forward_refused", /remote port forwarding failed/],
  ["ssh_host_unknown", /Could not resolve hostname/],
  ["ssh_timeout", /[Cc]onnection timed out|Operation timed out|^Timeout, server .* not responding/],
  ["ssh_unreachable", /Connection refused|No route to host|Network is unreachable|Host is down/],
  [
    "ssh_closed",
    /closed by (?:remote host|\S+ port \d)|[Cc]onnection reset|Broken pipe|^Received disconnect from/,
  ],
];

/** What ssh says of a key's file that it leaves out; that matters where nothing else lets it in. */
const KEY_TROUBLE = /^Load key /;

/** How a run of ssh ended. */
export interface SshEnd extends ProgramEnd {
  /** Whom it was to reach. */
  readonly host: string;
  /** Where it was run. */
  readonly folder: string;
  /** The last lines of its standard error. */
  readonly said: readonly string[];
  /** It had been let in: what would end all cannot be the cause, though the server may say such words. */
  readonly wasUp: boolean;
}

/** The failure that a run of ssh ended with. */
export function sshFailure({ host, folder, said: all, wasUp, ...end }: SshEnd): TunnelFailure {
  const { exitCode, signal, error } = end;
  if (error !== undefined && /\b(?:ENOENT|EACCES)\b/.test(error.message)) {
    return failure("ssh_missing", host, error.message);
  }
  const said = all.filter((line) => !isChatter(line));
  for (const [code, pattern] of CAUSES) {
    const line = said.find((each) => pattern.test(each));
    if (line === undefined || (wasUp && SSH_CODES[code].permanent)) continue;
    if (code === "ssh_host_key_changed") return failure(code, host, expectedKey(said, folder) ?? line);
    const key = code === "ssh_denied" ? said.find((each) => KEY_TROUBLE.test(each)) : undefined;
    return key === undefined ? failure(code, host, line) : failure("ssh_key_unusable", host, key);
  }
  const how = signal ?? `exit code ${exitCode}`;
  const last = error?.message ?? said.at(-1);
  return failure("ssh_ended", host, last === undefined ? how : `${how}: ${last}`);
}

/** The failure of a tunnel that is not up in time, though ssh goes on. */
export function noAddress(
  host: string,
  said: { readonly stdout: readonly string[]; readonly stderr: readonly string[] },
): TunnelFailure {
  const last = said.stdout.at(-1) ?? said.stderr.filter((line) => !isChatter(line)).at(-1);
  return failure("ssh_no_address", host, last === undefined ? "it said nothing" : `it last said: ${last}`);
}

/** ssh names the file and line of the key that it expected; the file may be the system's. */
function expectedKey(said: readonly string[], folder: string): string | undefined {
  const place = /^Offending \S+ key in (.*):(\d+)$/;
  const [, file, line] = said.map((each) => place.exec(each)).find((match) => match !== null) ?? [];
  return file === undefined ? undefined : `that is line ${line} of ${resolve(folder, file)}`;
}

function failure(code: SshCode, host: string, detail: string): TunnelFailure {
  const { message, ...rest } = SSH_CODES[code];
  const where = detail.includes(host) ? "" : `${host}: `;
  return { code, message: shortText(`${message}: ${where}${detail}`), ...rest };
}

/** What ssh says at the level that a server of one's own needs, and what it says whenever it learns a key. */
function isChatter(line: string): boolean {
  return /^debug\d: |^OpenSSH_|^Authenticated to |^Transferred: |^Bytes per second: |^Warning: Permanently added /.test(
    line,
  );
}
