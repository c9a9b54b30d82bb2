import type { ReasonCode } from "../codes.ts";

/**
 * Why answers are correct. Those that begin with a section's name come from the service's
 * description; others are ours.
 */
export const REASONS: Readonly<Record<ReasonCode, string>> = {
  confirm: "Delivery: the receiver confirms reception with 200",
  signature: "Authentication 6: a value that differs from the computed one is rejected",
  raw_body: "Authentication 6: the signature is over the raw request body",
  digits: "Authentication 6: the digest is 64 hex digits, whatever bytes they stand for",
  sent_twice: "ours: with two values it is undefined which one counts",
  trailer: "HTTP: a trailer is not a header, unless its definition allows it",
  header_name: "HTTP: header names are case-insensitive",
  made_up_data:
    "Event kinds: one of the 12; its `data` is not shown, so it may be refused, but must not fail",
  unknown_kind: "Versioning: kinds may be added; anything but 200 makes the sender retry for ever",
  added_fields: "Versioning: compatibility within a version lets fields be added",
  other_data:
    "Delivery: receivers are advised to validate; after a 5xx the same bytes are sent again",
  validate:
    "Delivery: receivers are advised to validate the format; Errors: 400 is an invalid request",
  no_failure: "ours: a signed body may be refused or kept, but must not make the code fail",
  json: "Delivery: the body is JSON, and this is JSON",
  content_type: "Delivery: the Content-Type is not shown, so a receiver must not depend on it",
  http: "HTTP: this is another way to send the same request",
  framing: "Delivery: how the length of a body is sent is not shown, and HTTP allows chunks",
  limits: "ours: a sender without the secret must not be able to exhaust memory or connections",
  post_only: "Delivery: events are sent by POST; other methods must not be confirmed",
  other_path: "ours: an endpoint that answers everywhere hides a wrong URL",
  encoding:
    "ours: the description shows no Content-Encoding, and decompressing before verifying is dangerous",
  utc: "Body envelope: the timestamp is ISO 8601 in UTC",
  retry: "Delivery: failed deliveries are retried; the schedule is not shown",
  skew: "ours: two clocks always differ a little",
  replay: "ours: a recorded delivery must not stay valid for ever",
  repeat: "Delivery: failed deliveries are retried until answered with 200",
  idempotent: "Delivery: receivers are advised to be idempotent",
  each_event: "Delivery: an event confirmed with 200 is not sent again, so it must take effect",
};
