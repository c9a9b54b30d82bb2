import { setTimeout as wait } from "node:timers/promises";
import { describeError } from "../base/errors.ts";
import { type ConnectTerms, tryToConnect } from "../http/try-to-connect.ts";
import { answerText, isIn, type ProbeAnswer } from "./answer.ts";

interface Reached extends ConnectTerms {
  readonly url: URL;
}

/** Why no connection is possible, or `undefined` if one is. */
export async function whyUnreachable({ url, ...terms }: Reached): Promise<string | undefined> {
  const why = await tryToConnect(url, terms);
  return why && inWords(why, terms.timeout);
}

/** Milliseconds for which an exiting process may still hold its port. */
const PORT_RELEASE_DELAY = 100;
/** Milliseconds between two valid deliveries to a receiver that answers none. */
const AGAIN = 500;

/**
 * Whether a receiver still answers, is away for a moment, as one that is started again, or has
 * gone, and why.
 */
export type ReceiverState =
  | { readonly state: "answers" }
  | { readonly state: "restarted" }
  | {
      readonly state: "gone";
      readonly why: string;
      /**
       * Whether its own process is why: it was there, and nothing listens any more, or it answers
       * nobody.
       */
      readonly isOwnFault: boolean;
    };

/**
 * Looks whether a receiver still answers after a connection ended without an answer: whether a
 * valid delivery is answered, at once or after a while, since it may be restarting.
 */
export async function stateAfterBrokenConnection(
  { url, ...terms }: Reached,
  patience: number,
  sendValid: () => Promise<ProbeAnswer>,
): Promise<ReceiverState> {
  const deadline = performance.now() + patience;
  await wait(PORT_RELEASE_DELAY);
  let wasRefused = false;
  for (;;) {
    const refused = await tryToConnect(url, terms);
    if (refused === undefined) break;
    const isRefusal = codeOf(refused) === "ECONNREFUSED";
    wasRefused ||= isRefusal;
    if (performance.now() <= deadline) await wait(100);
    else if (isRefusal) return gone("nothing listens any more, since its process has ended");
    else return { state: "gone", why: inWords(refused, terms.timeout), isOwnFault: false };
  }
  for (let tries = 1; ; tries++) {
    const answer = await sendValid();
    if (isAnswered(answer)) return { state: wasRefused ? "restarted" : "answers" };
    if (tries > 1 && performance.now() > deadline)
      return gone(`valid deliveries get ${answerText(answer)} from then on`);
    await wait(AGAIN);
  }
}

function gone(why: string): ReceiverState {
  return { state: "gone", why, isOwnFault: true };
}

/**
 * Whether the receiver itself answered: a proxy in front of one that is gone answers 502 or 504.
 */
function isAnswered(answer: ProbeAnswer): boolean {
  return (answer.type === "status" && !isIn(answer, ["502", "504"])) || answer.type === "endless";
}

function codeOf(error: NodeJS.ErrnoException | "timeout"): string | undefined {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return (first as NodeJS.ErrnoException).code;
}

function inWords(error: NodeJS.ErrnoException | "timeout", timeout: number): string {
  if (error === "timeout") return `no connection in ${timeout} ms`;
  const first =
    error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  if (first.code === "ECONNREFUSED")
    return "connection refused: nothing listens there; start the receiver";
  if (first.code === "ENOTFOUND") return "no such host: check the URL";
  if (first.code?.startsWith("ERR_SSL") === true)
    return `no TLS connection (${first.code}): use http if the receiver has no TLS`;
  return describeError(first);
}
