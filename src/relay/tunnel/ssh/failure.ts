import { resolve } from "node:path";
import { isMissing, type ProgramEnd, type Said } from "../program.ts";
import { type FailureTable, failureOf, type TunnelFailure } from "../provider.ts";

/** Every code of the ssh provider. A test compares them with `docs/reference/tunnel.md`. */
export const SSH_CODES = {
  ssh_missing: {
    message: "the OpenSSH client could not be started",
    fix: "install it, or use another tunnel",
    permanent: true,
  },
  ssh_config_invalid: {
    message: "the SSH configuration is not valid",
    fix: "fix the file that the message names",
    permanent: true,
  },
  ssh_host_key_changed: {
    message: "the server's key has changed",
    fix: "someone may be intercepting the connection: ask the server's operator, and remove that line only if the key was really replaced",
    permanent: true,
  },
  ssh_denied: {
    message: "the server accepts none of the offered keys",
    fix: "set the right one as sshIdentity or add it to ssh-agent (needed for a key with a passphrase); its file must be readable only by its owner (chmod 600); and check the user",
    permanent: true,
  },
  ssh_forward_refused: {
    message: "the server refuses to listen for this tunnel",
    fix: "an earlier tunnel may still hold the port or name, and will release it in time; otherwise choose another, and check that the server allows TCP forwarding",
  },
  ssh_no_address: {
    message: "no address was printed in time",
    fix: "if this keeps happening, the service's output may have changed: use --tunnel command with your own pattern",
  },
  ssh_unreachable: {
    message: "the server is not reachable",
    fix: "check the host, the port, this machine's network and firewalls, and that an SSH server is running there",
  },
  ssh_closed: {
    message: "the connection was lost",
    fix: "nothing to do: the tunnel is reopened; if this keeps happening, look in the server's log",
  },
  ssh_ended: {
    message: "ssh exited",
    fix: "nothing to do: ssh is restarted; if this keeps happening, run ssh with the same host by hand and read its output",
  },
} as const satisfies FailureTable<string>;

type SshCode = keyof typeof SSH_CODES;

/** ssh always exits with 255, so its output tells the causes apart. The first match counts. */
const CAUSES: readonly (readonly [SshCode, RegExp])[] = [
  [
    "ssh_config_invalid",
    /: Bad configuration option: |terminating, \d{1,9} bad configuration|^Bad owner or permissions/,
  ],
  ["ssh_host_key_changed", /REMOTE HOST IDENTIFICATION HAS CHANGED|^Host key verification failed/],
  ["ssh_denied", /\bPermission denied \(|Too many authentication failures/],
  ["ssh_forward_refused", /remote port forwarding failed/],
  [
    "ssh_unreachable",
    /Could not resolve hostname|[Cc]onnection timed out|Operation timed out|^Timeout, server .* not responding|Connection refused|No route to host|Network is unreachable|Host is down/,
  ],
  [
    "ssh_closed",
    /closed by (?:remote host|\S+ port \d)|[Cc]onnection reset|Broken pipe|^Received disconnect from/,
  ],
];

/** ssh prints this for a key file that it skips; it matters only if no other key is accepted. */
const SKIPPED_KEY = /^Load key /;

export interface SshEnd extends ProgramEnd {
  readonly host: string;
  readonly folder: string;
  /** The last lines of its standard error. */
  readonly said: readonly string[];
  /**
   * It was logged in. Then a permanent failure cannot be the cause, even if the server prints such
   * words.
   */
  readonly wasUp: boolean;
}

export function sshFailure({ host, folder, said: all, wasUp, ...end }: SshEnd): TunnelFailure {
  const { exitCode, signal, error } = end;
  if (error !== undefined && isMissing(error)) return failure("ssh_missing", host, error.message);
  const said = all.filter((line) => !isChatter(line));
  for (const [code, pattern] of CAUSES) {
    const line = said.find((each) => pattern.test(each));
    if (line === undefined || (wasUp && "permanent" in SSH_CODES[code])) continue;
    if (code === "ssh_host_key_changed")
      return failure(code, host, expectedKey(said, folder) ?? line);
    const skipped = code === "ssh_denied" ? said.find((each) => SKIPPED_KEY.test(each)) : undefined;
    return failure(code, host, skipped ?? line);
  }
  const how = signal ?? `exit code ${exitCode}`;
  const last = error?.message ?? said.at(-1);
  return failure("ssh_ended", host, last === undefined ? how : `${how}: ${last}`);
}

/** The failure of a tunnel that is not up in time while ssh is still running. */
export function noAddress(host: string, said: Said): TunnelFailure {
  const last = said.stdout.at(-1) ?? said.stderr.filter((line) => !isChatter(line)).at(-1);
  return failure(
    "ssh_no_address",
    host,
    last === undefined ? "it printed nothing" : `its last line: ${last}`,
  );
}

/** ssh prints the file and line of the key that it expected; the file may be the system's. */
function expectedKey(said: readonly string[], folder: string): string | undefined {
  const place = /^Offending \S+ key in (.*):(\d+)$/;
  const [, file, line] = said.map((each) => place.exec(each)).find((match) => match !== null) ?? [];
  return file === undefined ? undefined : `see line ${line} of ${resolve(folder, file)}`;
}

function failure(code: SshCode, host: string, detail: string): TunnelFailure {
  return failureOf(SSH_CODES, code, detail.includes(host) ? detail : `${host}: ${detail}`);
}

/**
 * Lines that ssh prints at the log level needed for your own server, and whenever it learns a key.
 */
function isChatter(line: string): boolean {
  return /^debug\d: |^OpenSSH_|^Authenticated to |^Transferred: |^Bytes per second: |^Warning: Permanently added /.test(
    line,
  );
}
