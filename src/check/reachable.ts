import { connect as connectPlain, isIP } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectSecure } from "node:tls";
import { describeError } from "../errors.ts";

/** Where to connect, and how. */
interface Reached {
  readonly url: URL;
  /** Milliseconds. */
  readonly timeout: number;
  /** Whether any certificate will do. */
  readonly insecure?: boolean;
}

/** Why no connection is possible, or `undefined` if one is. Opens a connection, sends nothing and closes it. */
export function whyUnreachable({ url, timeout, insecure = false }: Reached): Promise<string | undefined> {
  return new Promise((resolve) => {
    const secure = url.protocol === "https:";
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port || (secure ? 443 : 80));
    const socket = secure
      ? connectSecure({
          ...{ host, port, rejectUnauthorized: !insecure },
          ...(isIP(host) === 0 && { servername: host }),
        })
      : connectPlain({ host, port, autoSelectFamily: true });
    const end = (why?: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(why);
    };
    const timer = setTimeout(() => end(`no connection in ${timeout} ms`), timeout);
    socket.on(secure ? "secureConnect" : "connect", () => end());
    socket.on("error", (error) => end(inWords(error)));
  });
}

/** Milliseconds for which an exiting process may still hold its port. */
const DYING = 100;

/** The same, but retries for a while, since the receiver may be restarting. */
export async function whyGone(reached: Reached, patience: number): Promise<string | undefined> {
  const deadline = performance.now() + patience;
  await wait(DYING);
  for (;;) {
    const why = await whyUnreachable(reached);
    if (why === undefined || performance.now() > deadline) return why;
    await wait(100);
  }
}

function inWords(error: NodeJS.ErrnoException): string {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  if (first.code === "ECONNREFUSED") return "connection refused: nothing listens there; start the receiver";
  if (first.code === "ENOTFOUND") return "no such host: check the URL";
  if (first.code?.startsWith("ERR_SSL") === true)
    return `no TLS connection (${first.code}): use http if the receiver has no TLS`;
  return describeError(first);
}
