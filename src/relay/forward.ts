import { STATUS_CODES } from "node:http";
import type { Handler } from "../dispatch/handler.ts";
import { asError, HookporterError } from "../errors.ts";
import { readRetryAfter } from "../retry-after.ts";
import { shownUrl } from "../shown-url.ts";
import { queryOf } from "./query.ts";
import { isUnconnected, SEND_TIMEOUT, type Sending, send, type TargetAnswer } from "./send.ts";
import { wantsTls } from "./unreachable.ts";

/** The options of a forward. */
export interface ForwardOptions extends Pick<Sending, "timeout" | "maxAnswer"> {
  /** Called with the entry's number and each answer, before the answer is judged. */
  readonly onAnswer?: (seq: number, answer: TargetAnswer) => void;
  /** Called with the reason if there was no answer. */
  readonly onFailure?: (seq: number, thrown: unknown) => void;
  /** Answers after which the event is a dead letter. Default: none, since every event is retried. */
  readonly giveUpOn?: "4xx" | undefined;
  /** Milliseconds since 1970, to interpret a `Retry-After` date. Default `Date.now`. */
  readonly clock?: () => number;
}

/**
 * A handler that forwards each delivery to a target: same bytes, same signature header, and the same query unless the
 * target has one. It fails, and so is retried, until the target answers 2xx, but not before its `Retry-After`. Notes each
 * answer: its status, then its body.
 */
export function forwardTo(target: URL, options: ForwardOptions = {}): Handler {
  const { timeout = SEND_TIMEOUT, maxAnswer, onAnswer, onFailure, giveUpOn, clock = Date.now } = options;
  return async (_event, { delivery, signal, note, seq }) => {
    const { headers, body } = delivery;
    let answer: TargetAnswer;
    try {
      const limit = maxAnswer === undefined ? {} : { maxAnswer };
      answer = await send({ target, query: queryOf(delivery), headers, body, signal, timeout, ...limit });
    } catch (thrown) {
      onFailure?.(seq, thrown);
      throw signal.aborted
        ? thrown
        : Object.assign(asError(thrown), { away: isUnconnected(thrown) || "perhaps" });
    }
    const { status } = answer;
    const name = STATUS_CODES[status];
    note(`${status}${name === undefined ? "" : ` ${name}`}\n${answer.body.slice(0, 2048)}`.trimEnd());
    onAnswer?.(seq, answer);
    if (!answer.ok) throw refusal(target, answer, clock(), giveUpOn);
  };
}

/** The statuses of a target that cannot take anything at present, or of a proxy before one that does not answer. */
const AWAY: readonly number[] = [429, 502, 503, 504];

/** The 4xx that another attempt may change. */
const RETRIED: readonly number[] = [408, 409, 425, 429];

function refusal(
  target: URL,
  { status, body, headers }: TargetAnswer,
  now: number,
  giveUpOn: ForwardOptions["giveUpOn"],
): HookporterError {
  const why = wantsTls(target, status, body) ?? body.slice(0, 500);
  const error = new HookporterError("target_refused", `${shownUrl(target)} answered ${status}: ${why}`);
  const wait = readRetryAfter(headers["retry-after"], now) || undefined; // 0 would retry without a pause
  const final = giveUpOn === "4xx" && status >= 400 && status < 500 && !RETRIED.includes(status);
  return Object.assign(error, {
    retryAfterMs: wait,
    ...(AWAY.includes(status) && { away: "perhaps" }),
    ...(final && { final }),
  });
}
