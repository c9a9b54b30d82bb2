import { openProgramTunnel } from "./program.ts";
import type { TunnelProvider } from "./provider.ts";
import { sshArguments } from "./ssh/arguments.ts";
import { noAddress, sshFailure } from "./ssh/failure.ts";
import { makeOwnKey, makeSshFolder } from "./ssh/files.ts";
import { SSH_SERVICES } from "./ssh/services.ts";
import type { SshSettings } from "./ssh/settings.ts";

/**
 * A tunnel through the machine's OpenSSH client, to a service or to your own server. It ends if the
 * connection is lost, since the client does not reconnect.
 */
export const ssh: TunnelProvider<SshSettings> = {
  name: "ssh",
  open: async (settings, target, report) => {
    const { folder, service, addressTimeout = 20 } = settings;
    makeSshFolder(folder);
    if (service !== undefined && settings.identityFile === undefined) makeOwnKey(folder);
    const host =
      service === undefined ? settings.host : (settings.host ?? SSH_SERVICES[service].host);
    return openProgramTunnel(
      {
        program: "ssh",
        argv: sshArguments(settings, target),
        cwd: folder,
        addressTimeout,
        readUrl: (line, stream) => readUrl(settings, line, stream),
        noAddress: (said) => noAddress(host, said),
        ended: (end, { stderr: said }, wasUp) => sshFailure({ ...end, host, folder, said, wasUp }),
      },
      report,
    );
  },
};

/** The tunnel's address, from the line that says it is up. */
function readUrl(
  settings: SshSettings,
  line: string,
  stream: "stdout" | "stderr",
): string | undefined {
  if (settings.service === undefined) {
    const up =
      stream === "stderr" && line.startsWith("debug1: remote forward success for: listen ");
    return up ? settings.publicUrl : undefined;
  }
  return stream === "stdout" ? SSH_SERVICES[settings.service].readUrl(line) : undefined;
}
