import { RETRY_AFTER } from "../http/answer.ts";

interface Refusal {
  readonly status: number;
  readonly type: string;
  /** Why it was refused. The answer says so too. */
  readonly meaning: string;
  /** What the sender should do, if the meaning does not say it. */
  readonly fix?: string;
  /** The connection is closed if the body may not have been read. */
  readonly headers: Readonly<Record<string, string>>;
}

const CLOSE = { Connection: "close" } as const;

/**
 * Why a request is refused before its signature is checked. Listed in `docs/reference/answers.md`.
 */
export const REFUSALS = {
  wrong_path: {
    status: 404,
    type: "not_found",
    headers: {},
    meaning: "there is no endpoint here",
    fix: "send to the path this receiver listens on",
  },
  wrong_method: {
    status: 405,
    type: "method_not_allowed",
    headers: { Allow: "POST" },
    meaning: "deliveries are sent with POST",
  },
  content_encoding: {
    status: 415,
    type: "unsupported_encoding",
    headers: CLOSE,
    meaning: "the body is compressed, by its Content-Encoding; send it without one",
    fix: "let nothing on the way compress it: the signature covers the plain bytes",
  },
  too_large: {
    status: 413,
    type: "payload_too_large",
    headers: CLOSE,
    meaning: "the body is larger than this receiver accepts",
    fix: "send a smaller one; a receiver of your own takes more with `bodyLimit`",
  },
  too_slow: {
    status: 408,
    type: "request_timeout",
    headers: CLOSE,
    meaning: "the body did not arrive in time",
  },
  aborted: {
    status: 400,
    type: "invalid_request",
    headers: CLOSE,
    meaning: "the sender closed the connection before the body was complete",
  },
  stalled: {
    status: 408,
    type: "request_timeout",
    headers: CLOSE,
    meaning:
      "too many bodies were being received, and this one made the least progress; send it again",
  },
  overloaded: {
    status: 503,
    type: "unavailable",
    headers: { "Retry-After": RETRY_AFTER, ...CLOSE },
    meaning: "too many bodies are being received; try again later",
  },
} as const satisfies Record<string, Refusal>;

/** Why a request was refused before its signature was checked. */
export type RefusalReason = keyof typeof REFUSALS;

export function refusalFor(reason: RefusalReason): Refusal {
  return REFUSALS[reason];
}

export function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
