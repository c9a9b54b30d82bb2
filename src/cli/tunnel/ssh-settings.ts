import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import type {
  OwnSshSettings,
  ServiceSshSettings,
  SshService,
} from "../../relay/tunnel/ssh/settings.ts";
import type { CliContext } from "../context.ts";
import { makeStateFolder } from "../files/state-folder.ts";
import { usageError } from "../input-errors.ts";
import type { TunnelFlag, TunnelOptions } from "./tunnel-options.ts";

export const SSH_FLAGS = ["sshHost", "sshIdentity"] as const satisfies TunnelFlag[];

/**
 * The ssh provider's settings for a service. Throws `secret_missing` if the key's file cannot be
 * read.
 */
export function serviceSettings(service: SshService) {
  return (options: TunnelOptions, context: CliContext): ServiceSshSettings => {
    const { sshHost: host, domain } = options;
    return {
      service,
      ...common(options, context),
      ...(host !== undefined && { host }),
      ...(domain !== undefined && { domain }),
    };
  };
}

/**
 * The ssh provider's settings for your own server. Throws `usage` if host, port or address is
 * missing; `secret_missing` if the key's file cannot be read.
 */
export function ownServerSettings(options: TunnelOptions, context: CliContext): OwnSshSettings {
  const { sshHost: host, sshRemotePort: remotePort, publicUrl } = options;
  if (host === undefined || remotePort === undefined || publicUrl === undefined)
    throw usageError(
      "expected --tunnel ssh with --ssh-host, --public-url and the setting sshRemotePort: your server, the port that it should listen on, and the address that leads to that port",
    );
  return { ...common(options, context), host, remotePort, publicUrl: publicUrl.href };
}

function common({ sshIdentity }: TunnelOptions, { io }: CliContext) {
  const identityFile = sshIdentity === undefined ? undefined : resolve(io.cwd, sshIdentity);
  if (identityFile !== undefined) checkKey(identityFile);
  return {
    folder: join(makeStateFolder(io.cwd), "ssh"),
    ...(identityFile !== undefined && { identityFile }),
  };
}

/** ssh would continue without the key, and be refused for a reason that does not mention it. */
export function checkKey(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (thrown) {
    const why = describeFileError(thrown);
    throw new ConfigurationError(
      "secret_missing",
      `could not read the private key ${path}: ${why}`,
    );
  }
}
