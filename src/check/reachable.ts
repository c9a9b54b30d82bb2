import { setTimeout as wait } from "node:timers/promises";
import { errorsOf } from "../base/guards.ts";
import { type ConnectTerms, tryToConnect } from "../http/try-to-connect.ts";
import { isIn, type ProbeAnswer } from "./answer.ts";

interface Reached extends ConnectTerms {
  readonly url: URL;
}

/** Why no connection could be made. */
export type ConnectFailure = NodeJS.ErrnoException | "timeout";

/** Milliseconds for which an exiting process may still hold its port. */
const PORT_RELEASE_DELAY = 100;
/** Milliseconds between two valid deliveries to a receiver that answers none. */
const AGAIN = 500;

/** How a receiver is away that answered before, for a moment or for good. */
export type Absence =
  /** Its process ended, and was started again. */
  | { readonly code: "restarted" }
  /** It was there, and nothing listens any more. */
  | { readonly code: "process_ended" }
  /** It is there, and answers no valid delivery. */
  | { readonly code: "answers_nobody"; readonly answer: ProbeAnswer }
  /** It cannot be reached, which need not be its fault. */
  | {
      readonly code: "no_connection";
      readonly failure: ConnectFailure;
      readonly timeout: number;
    };

/**
 * Looks whether a receiver still answers after a connection ended without an answer: whether a
 * valid delivery is answered, at once or after a while, since it may be restarting. Returns
 * `undefined` if it was there all the time.
 */
export async function absenceAfterBrokenConnection(
  { url, ...terms }: Reached,
  patience: number,
  sendValid: () => Promise<ProbeAnswer>,
): Promise<Absence | undefined> {
  const deadline = performance.now() + patience;
  await wait(PORT_RELEASE_DELAY);
  let wasRefused = false;
  for (;;) {
    const failure = await tryToConnect(url, terms);
    if (failure === undefined) break;
    const isRefusal = failure !== "timeout" && firstOf(failure).code === "ECONNREFUSED";
    wasRefused ||= isRefusal;
    if (performance.now() <= deadline) await wait(100);
    else if (isRefusal) return { code: "process_ended" };
    else return { code: "no_connection", failure, timeout: terms.timeout };
  }
  for (let tries = 1; ; tries++) {
    const answer = await sendValid();
    if (isAnswered(answer)) return wasRefused ? { code: "restarted" } : undefined;
    if (tries > 1 && performance.now() > deadline) return { code: "answers_nobody", answer };
    await wait(AGAIN);
  }
}

/**
 * Whether the receiver itself answered: a proxy in front of one that is gone answers 502 or 504.
 */
function isAnswered(answer: ProbeAnswer): boolean {
  return (answer.type === "status" && !isIn(answer, ["502", "504"])) || answer.type === "endless";
}

/** The error of the first address, if a name has several. */
export function firstOf(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return errorsOf(error)[0] as NodeJS.ErrnoException;
}
