import { readPublicUrl } from "../public-url.ts";
import type { SshService } from "./settings.ts";

/** How to ask a service for a tunnel, and how it prints the address. */
export interface ServiceFacts {
  readonly host: string;
  readonly user: string;
  readonly sshPort?: number;
  readonly remotePort: number;
  /**
   * The tunnel's address in a line of the session's output; lines that only mention an address do
   * not match.
   */
  readUrl(line: string): string | undefined;
}

/** The services by name. Their banners contain other addresses, before and after the right one. */
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
    // Alone on its line. The service's web pages (dashboard, prices) have another domain.
    readUrl: (line) => named(/^(?<url>https:\/\/(?!(?:[^\s/]+\.)?pinggy\.io$)\S+)$/, line),
  },
  serveo: {
    host: "serveo.net",
    // Any name works; without one, ssh would send this machine's user name to the service.
    user: "hookporter",
    remotePort: 80,
    readUrl: (line) => named(/^Forwarding HTTP traffic from (?<url>https:\/\/\S+)$/, line),
  },
};

/**
 * The address that a pattern matches. A service's output is not trusted, and a probe is sent to the
 * address. So only a name on the public internet is accepted, without a port.
 */
function named(pattern: RegExp, line: string): string | undefined {
  const url = readPublicUrl(pattern.exec(line)?.groups?.url ?? "");
  return url !== undefined && /^https:\/\/(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(url)
    ? url
    : undefined;
}
