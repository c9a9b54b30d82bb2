/**
 * Why signed bytes are not an event. Stored with the dead letter, shown in the live view, listed in
 * `docs/reference/answers.md`.
 */
export const REJECTION_REASONS = {
  empty_body: "the body is empty",
  invalid_utf8: "the body is not UTF-8",
  invalid_json: "the body is not JSON",
  duplicate_key: "an object contains a key twice, so its meaning is ambiguous",
  forbidden_key: "an object contains a key that could pollute prototypes",
  too_deep: "the JSON is nested too deeply",
  invalid_envelope: "the JSON is not an envelope",
  invalid_timestamp: "the timestamp is not ISO 8601 in UTC",
  too_old: "the timestamp is older than the receiver accepts",
  future_timestamp: "the timestamp is too far in the future",
} as const;

/** One of the stable rejection reasons. */
export type RejectionReason = keyof typeof REJECTION_REASONS;

/**
 * Why signed bytes are not an event, in words that may be sent as an answer: never a value from the
 * body.
 */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly message: string;
  /** The invalid field, such as `webhook.id`, if there is one. */
  readonly field?: string;
}

export interface InvalidEnvelope {
  readonly ok: false;
  readonly rejection: Rejection;
}

/** What was read of bytes, or why they are not an event. */
export type Parsed<Value> = ({ readonly ok: true } & Value) | InvalidEnvelope;

/** Creates a rejection with the standard text of its reason, or with another text. */
export function rejected(
  reason: RejectionReason,
  field?: string,
  message?: string,
): InvalidEnvelope {
  const text = message ?? REJECTION_REASONS[reason];
  return { ok: false, rejection: { reason, message: text, ...(field !== undefined && { field }) } };
}
