import { setTimeout as wait } from "node:timers/promises";
import { describeError } from "../errors.ts";
import { type ConnectTerms, tryToConnect } from "../http/try-to-connect.ts";

interface Reached extends ConnectTerms {
  readonly url: URL;
}

/** Why no connection is possible, or `undefined` if one is. */
export async function whyUnreachable({ url, ...terms }: Reached): Promise<string | undefined> {
  const why = await tryToConnect(url, terms);
  return why === "timeout" ? `no connection in ${terms.timeout} ms` : why && inWords(why);
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
