import { connect as connectPlain, isIP } from "node:net";
import { connect as connectSecure } from "node:tls";

/** The host of a URL as connections and lookups take it: an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** The port of a URL, or that of its protocol. */
export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "http:" ? 80 : 443));
}

export interface ConnectTerms {
  /** Milliseconds. */
  readonly timeout: number;
  /** Whether a TLS handshake must succeed. Default: for `https:`. */
  readonly secure?: boolean;
  /** Whether any certificate will do. */
  readonly insecure?: boolean;
}

/**
 * Why the host of a URL accepts no connection; `undefined` if it does. Sends nothing, and closes
 * the connection.
 */
export function tryToConnect(url: URL, terms: ConnectTerms) {
  const { timeout, secure = url.protocol === "https:", insecure = false } = terms;
  return new Promise<NodeJS.ErrnoException | "timeout" | undefined>((resolve) => {
    const host = hostOf(url);
    const address = { host, port: portOf(url) };
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = secure
      ? connectSecure({ ...address, ...servername, rejectUnauthorized: !insecure })
      : connectPlain(address);
    const end = (why?: NodeJS.ErrnoException | "timeout") => {
      clearTimeout(timer);
      socket.destroy();
      resolve(why);
    };
    const timer = setTimeout(() => end("timeout"), timeout);
    socket.once(secure ? "secureConnect" : "connect", () => end());
    socket.on("error", end);
  });
}
