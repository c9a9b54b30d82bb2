import { readPublicUrl } from "../public-url.ts";
import type { SshService } from "./settings.ts";

/** How a service is asked for a tunnel, and how it says that there is one. */
export interface ServiceFacts {
  readonly host: string;
  readonly user: string;
  readonly sshPort?: number;
  /** The remote port it wants to be asked for. */
  readonly remotePort: number;
  /** The address in a line of the session's output; a line that only mentions one is not it. */
  readUrl(line: string): string | undefined;
}

/** The services by name. Their banners hold other addresses, before and after the right one. */
export const SSH_SERVICES: Readonly<Record<SshService, ServiceFacts>> = {
  "localhost.run": {
    host: "localhost.run",
    user: "nokey",
    remotePort: 80,
    // `x.lhr.life tunneled with tls termination, https://x.lhr.life`: both must be the same host.
    readUrl: (line) => named(/^(\S+) tunneled with tls termination, (?<url>https:\/\/\1)$/, line),
  },
  pinggy: {
    host: "a.pinggy.io",
    user: "free",
    sshPort: 443,
    remotePort: 0,
    // A line of its own. The service's own pages (its dashboard, its prices) are under another domain.
    readUrl: (line) => named(/^(?<url>https:\/\/(?!(?:[^\s/]+\.)?pinggy\.io$)\S+)$/, line),
  },
  serveo: {
    host: "serveo.net",
    // Any name will do; left out, ssh would tell the service the name of this machine's user.
    user: "hookporter",
    remotePort: 80,
    readUrl: (line) => named(/^Forwarding HTTP traffic from (?<url>https:\/\/\S+)$/, line),
  },
};

/**
 * The address that a pattern finds. What comes from a service is not to be trusted: a probe is sent there, so a name of
 * the public internet is taken only, without a port.
 */
function named(pattern: RegExp, line: string): string | undefined {
  const url = readPublicUrl(pattern.exec(line)?.groups?.url ?? "");
  return url !== undefined && /^https:\/\/(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(url)
    ? url
    : undefined;
}
