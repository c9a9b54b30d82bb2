import { describeError } from "../../base/errors.ts";
import { type Limit, type LimitCode, retryAfterOf } from "../limits.ts";
import { type Absence, type ConnectFailure, firstOf } from "../reachable.ts";
import { answerText } from "./answers.ts";

/** How a receiver is away. */
export function absenceText(absence: Absence): string {
  switch (absence.code) {
    case "restarted":
      return "its process ended, and was started again";
    case "process_ended":
      return "nothing listens any more, since its process has ended";
    case "answers_nobody":
      return `valid deliveries get ${answerText(absence.answer)} from then on`;
    case "no_connection":
      return connectFailureText(absence.failure, absence.timeout);
  }
}

/** Why no connection could be made. */
export function connectFailureText(failure: ConnectFailure, timeout: number): string {
  if (failure === "timeout") return `no connection in ${timeout} ms`;
  const first = firstOf(failure);
  if (first.code === "ECONNREFUSED")
    return "connection refused: nothing listens there; start the receiver";
  if (first.code === "ENOTFOUND") return "no such host: check the URL";
  if (first.code?.startsWith("ERR_SSL") === true)
    return `no TLS connection (${first.code}): use http if the receiver has no TLS`;
  return describeError(first);
}

/** What a receiver does that refuses everything for a time, and what to do about it. */
const LIMITS = {
  rate_limited: {
    does: "limits the rate",
    fix: "Raise its limit for the test, or pass --rate.",
  },
  senders_banned: {
    does: "bans senders of wrong signatures",
    fix: "Exempt the address of the test.",
  },
} as const satisfies Readonly<Record<LimitCode, { does: string; fix: string }>>;

/** Why a run waits. */
export function waitText(code: LimitCode): string {
  return `it ${LIMITS[code].does}`;
}

/** Why a receiver refused everything for a time. */
export function limitText({ code, answer, requests }: Limit): string {
  const { does, fix } = LIMITS[code];
  const asked = retryAfterOf(answer);
  const after = asked === undefined ? "" : `, Retry-After: ${Math.ceil(asked / 1000)} s`;
  return `The receiver ${does}: after ${requests} requests it refused valid deliveries, too (${answerText(answer)}${after}). ${fix}`;
}
