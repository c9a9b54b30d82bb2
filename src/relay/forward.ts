import { type IncomingHttpHeaders, STATUS_CODES } from "node:http";
import { asError, HookporterError } from "../base/errors.ts";
import { shownUrl } from "../base/text/shown-url.ts";
import type { Handler } from "../dispatch/plan/handler.ts";
import { readRetryAfter } from "../http/retry-after.ts";
import { describeRefusal, shownLocation } from "./explain-answer.ts";
import { passedOn } from "./hop-by-hop.ts";
import { queryOf } from "./query.ts";
import { isUnconnected, SEND_TIMEOUT, type Sending, send, type TargetAnswer } from "./send.ts";

/**
 * Milliseconds for an answer's body after its status. Only its beginning is kept, and an app that
 * has taken the event may stream for ever.
 */
export const BODY_TIMEOUT = 5000;

/** How requests to targets differ from the delivery. */
export interface ForwardRequest extends Pick<Sending, "host" | "insecure"> {
  /**
   * Headers to add, by lowercase name; they replace the delivery's. Their values are hidden
   * wherever an answer repeats them.
   */
  readonly added?: Readonly<Record<string, readonly string[]>>;
  /** Misleading headers of the delivery that are passed on, by lowercase name: see `passedOn`. */
  readonly passed?: readonly string[];
}

export interface ForwardOptions
  extends ForwardRequest,
    Pick<Sending, "timeout" | "bodyTimeout" | "maxAnswer"> {
  /** Called with the entry's number and each answer, before the answer is judged. */
  readonly onAnswer?: (seq: number, answer: TargetAnswer) => void;
  /** Called with each answer as it is noted: with the values of added headers hidden. */
  readonly onNoted?: (answer: TargetAnswer) => void;
  /** Called with the reason if there was no answer. */
  readonly onFailure?: (seq: number, thrown: unknown) => void;
  /**
   * Answers after which the event is a dead letter. Default: none, since every event is retried.
   */
  readonly giveUpOn?: "4xx" | undefined;
  /** Milliseconds since 1970, to interpret a `Retry-After` date. Default `Date.now`. */
  readonly clock?: () => number;
}

/**
 * A handler that forwards each delivery to a target: same bytes, same signature header, and the
 * same query unless the target has one. It fails, and so is retried, until the target answers 2xx,
 * but not before its `Retry-After`. Notes each answer: its status, then its body.
 */
export function forwardTo(target: URL, options: ForwardOptions = {}): Handler {
  const {
    timeout = SEND_TIMEOUT,
    bodyTimeout = BODY_TIMEOUT,
    maxAnswer,
    host,
    insecure = false,
  } = options;
  const { added = {}, passed, onAnswer, onNoted, onFailure, giveUpOn, clock = Date.now } = options;
  const hide = hiding(Object.values(added).flat());
  return async (_event, { delivery, signal, note, seq }) => {
    const { body } = delivery;
    const headers = { ...passedOn(delivery.headers, passed), ...added };
    const sent = { query: queryOf(delivery), headers, body };
    let answer: TargetAnswer;
    try {
      answer = await send({
        target,
        ...sent,
        host,
        insecure,
        signal,
        timeout,
        bodyTimeout,
        maxAnswer,
      });
    } catch (thrown) {
      onFailure?.(seq, thrown);
      throw signal.aborted
        ? thrown
        : Object.assign(asError(thrown), { away: isUnconnected(thrown) || "perhaps" });
    }
    const shown = { ...answer, body: hide(answer.body), headers: hideIn(answer.headers, hide) };
    note(`${headline(target, shown)}\n${shown.body.slice(0, 2048)}`.trimEnd());
    onNoted?.(shown);
    onAnswer?.(seq, answer);
    if (!answer.ok) throw refusal(target, shown, clock(), giveUpOn);
  };
}

/** Shorter texts are not credentials, and would be found inside other words. */
const SHORTEST_HIDDEN = 6;

/**
 * Hides values, and the words in them, such as the token after `Bearer`. An app may repeat what it
 * was sent.
 */
function hiding(values: readonly string[]): (text: string) => string {
  const parts = values
    .flatMap((value) => [value, ...value.split(/[\s,;=]+/)])
    .filter((part) => part.length >= SHORTEST_HIDDEN)
    .sort((a, b) => b.length - a.length);
  return (text) => parts.reduce((rest, part) => rest.replaceAll(part, "…"), text);
}

function hideIn(headers: IncomingHttpHeaders, hide: (text: string) => string): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map(hide) : value && hide(value)] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * The first line of a note: the status, where it leads, which address answered, and what is
 * missing.
 */
function headline(target: URL, answer: TargetAnswer): string {
  const { status, address, cut } = answer;
  const name = STATUS_CODES[status];
  const location = shownLocation(target, answer);
  return [
    `${status}${name === undefined ? "" : ` ${name}`}`,
    ...(location === undefined ? [] : [`Location: ${location}`]),
    ...(address === undefined ? [] : [`from ${address}`]),
    ...(cut === "closed" ? ["body cut off"] : []),
    ...(cut === "overdue" ? ["body not complete in time"] : []),
  ].join(", ");
}

/**
 * The statuses of a target that cannot take anything at present, or of a proxy before one that does
 * not answer.
 */
const AWAY: readonly number[] = [429, 502, 503, 504];

/** The 4xx that another attempt may change. */
const RETRIED: readonly number[] = [408, 409, 425, 429];

function refusal(
  target: URL,
  answer: TargetAnswer,
  now: number,
  giveUpOn: ForwardOptions["giveUpOn"],
) {
  const { status, headers, address } = answer;
  const at = address === undefined ? "" : ` (${address})`;
  const message = `${shownUrl(target)}${at} answered ${describeRefusal(target, answer)}`;
  const error = new HookporterError("target_refused", message);
  // 0 would retry without a pause
  const wait = readRetryAfter(headers["retry-after"], now) || undefined;
  const final = giveUpOn === "4xx" && status >= 400 && status < 500 && !RETRIED.includes(status);
  return Object.assign(error, {
    retryAfter: wait,
    ...(AWAY.includes(status) && { away: "perhaps" }),
    ...(final && { final }),
  });
}
