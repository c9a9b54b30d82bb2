import { connect as connectPlain } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectSecure } from "node:tls";
import { describeError } from "../errors.ts";

/** Why no connection can be made, or `undefined` if one can: opens one and closes it, sends nothing. */
export function whyUnreachable(url: URL, timeout: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const secure = url.protocol === "https:";
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port || (secure ? 443 : 80));
    const socket = secure
      ? connectSecure({ host, port, servername: host })
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

/** The same, but with some patience: something may be starting it again. */
export async function whyGone(url: URL, timeout: number, patience: number): Promise<string | undefined> {
  const deadline = performance.now() + patience;
  for (;;) {
    const why = await whyUnreachable(url, timeout);
    if (why === undefined || performance.now() > deadline) return why;
    await wait(100);
  }
}

function inWords(error: NodeJS.ErrnoException): string {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  if (first.code === "ECONNREFUSED")
    return "connection refused: nothing listens there; is the receiver started?";
  if (first.code === "ENOTFOUND") return "no such host: check the URL";
  return describeError(first);
}
