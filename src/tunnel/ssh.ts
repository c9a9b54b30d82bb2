import { startProgram } from "./program.ts";
import type { TunnelProvider } from "./provider.ts";
import { sshArguments } from "./ssh/arguments.ts";
import { noAddress, sshFailure } from "./ssh/failure.ts";
import { makeOwnKey, makeSshFolder } from "./ssh/files.ts";
import { SSH_SERVICES } from "./ssh/services.ts";
import type { SshSettings } from "./ssh/settings.ts";

/** The number of lines kept; the cause is among the last, below a warning of up to a dozen lines. */
const KEPT_LINES = 40;

/**
 * A tunnel through the machine's OpenSSH client, to a service or to your own server. It ends if the connection is lost,
 * since the client does not reconnect.
 */
export const ssh: TunnelProvider<SshSettings> = {
  name: "ssh",
  open: async (settings, target, report) => {
    const { folder, service, addressTimeout = 20 } = settings;
    makeSshFolder(folder);
    if (service !== undefined && settings.identityFile === undefined) makeOwnKey(folder);
    const host = service === undefined ? settings.host : (settings.host ?? SSH_SERVICES[service].host);
    const said = { stdout: [] as string[], stderr: [] as string[] };
    let current: string | undefined;
    const program = startProgram({
      program: "ssh",
      argv: sshArguments(settings, target),
      cwd: folder,
      onLine: (line, stream) => {
        said[stream].splice(0, said[stream].push(line) - KEPT_LINES);
        const url = readUrl(settings, line, stream);
        if (url === undefined || url === current) return;
        clearTimeout(patience);
        current = url;
        report.up(url);
      },
      onEnd: (end) => {
        clearTimeout(patience);
        report.failed(sshFailure({ ...end, host, folder, said: said.stderr, wasUp: current !== undefined }));
      },
    });
    const patience = setTimeout(() => {
      void program.end().then(() => report.failed(noAddress(host, said)));
    }, addressTimeout * 1000);
    return {
      close: () => {
        clearTimeout(patience);
        return program.end();
      },
    };
  },
};

/** The tunnel's address, from the line that says it is up. */
function readUrl(settings: SshSettings, line: string, stream: "stdout" | "stderr"): string | undefined {
  if (settings.service === undefined) {
    const up = stream === "stderr" && line.startsWith("debug1: remote forward success for: listen ");
    return up ? settings.publicUrl : undefined;
  }
  return stream === "stdout" ? SSH_SERVICES[settings.service].readUrl(line) : undefined;
}
