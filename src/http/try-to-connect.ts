import { connect as connectPlain, isIP } from "node:net";
import { connect as connectSecure } from "node:tls";
import { connectOptions, noteRefusal } from "./connect-options.ts";
import { hostOf, portOf } from "./host-of.ts";

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
export async function tryToConnect(url: URL, terms: ConnectTerms) {
  const failure = await tryOnce(url, terms);
  return noteRefusal(url, failure) ? tryOnce(url, terms) : failure;
}

function tryOnce(url: URL, terms: ConnectTerms) {
  const { timeout, secure = url.protocol === "https:", insecure = false } = terms;
  return new Promise<NodeJS.ErrnoException | "timeout" | undefined>((resolve) => {
    const host = hostOf(url);
    const address = { host, port: portOf(url), ...connectOptions(url) };
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
