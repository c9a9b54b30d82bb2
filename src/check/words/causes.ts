import { UNDESCRIBED } from "../cases/kind-cases.ts";
import type { CauseCode } from "../codes.ts";

/** What is wrong, and after the colon how to fix it. */
export const CAUSES: Readonly<Record<CauseCode, string>> = {
  valid_refused:
    "it refuses a completely valid delivery: compare the secret, the header's name and the path",
  valid_failed: "it fails on a completely valid delivery: see its own log",
  kind_refused:
    "it does not accept {kind}: answer 200 to all 12 kinds (the sample's `data` is invented; see the receiver's log if it validates `data`)",
  kind_failed:
    "its code fails on this, so the sender retries the same bytes for ever: catch the error, and answer 200 or 400",
  unknown_kind_refused: "it refuses an unknown kind: answer 200 and keep or ignore the event",
  inherited_handler_found:
    "it looks handlers up in a plain object and finds an inherited property: use a Map",
  added_fields_refused: "it refuses unknown fields: ignore them",
  unsigned_accepted: "it accepts unsigned deliveries: refuse deliveries without the header",
  other_form_accepted:
    "it accepts another form of the value: match all of it against ^sha256=[0-9a-f]{64}$ before you decode it",
  algorithm_chosen_by_sender:
    "it lets the sender choose the algorithm: accept only HMAC-SHA256, with 64 digits",
  short_digest_accepted:
    "it compares only as many digits as were sent, so a short guess is accepted: compare the lengths first",
  non_digest_accepted:
    "it accepts a value that is not a digest: match the value against ^sha256=[0-9a-f]{64}$ before you decode it",
  digest_not_compared:
    "it does not compare the digest: compute HMAC-SHA256 over the body with the subscription's secret, and compare",
  empty_secret: "it runs with an empty secret, so anyone can sign: refuse to start without one",
  hash_without_secret:
    "it compares a hash that anyone can compute: use HMAC-SHA256 with the secret",
  one_of_two_values_used: "it uses one of two values: refuse a delivery that has the header twice",
  forged_value_failed:
    "its code fails on this value instead of refusing it: check the format and the length before you compare (a constant-time comparison throws on unequal lengths or odd characters)",
  value_without_digest_accepted:
    "it accepts a value without a digest: refuse it like a missing one",
  signature_read_from_url:
    "it reads the signature from the URL, which ends up in logs, or checks none if the URL has a query: read it only from the header, for every URL",
  signature_read_from_body: "it reads the signature from the body: read it only from the header",
  signature_read_from_trailer:
    "it treats trailers as headers: read the signature only from the header",
  signature_read_from_other_header:
    "it reads the signature from another header: read only the right one",
  header_name_case_sensitive:
    "it looks up the header case-sensitively: ignore the case of header names",
  digest_printed_as_number:
    "it prints the digest as one number, without the zeros at its start, as `BigInteger.toString(16)` does, and so refuses 1 of 16 valid deliveries: print all 32 bytes with two digits each, such as with `%02x`",
  first_zero_bytes_lost:
    "it loses zero bytes at the start of the digest, and so refuses 1 of 256 valid deliveries: print all 32 bytes with two digits each, such as with `%02x`",
  zeros_of_bytes_lost:
    "it prints each byte without its leading zero, as `Integer.toHexString` and `%x` do, and so refuses 7 of 8 valid deliveries: print all 32 bytes with two digits each, such as with `%02x`",
  digest_cut_at_zero_byte:
    "it takes the digest for text that ends at a zero byte, and so refuses 1 of 8 valid deliveries: compare all 32 bytes",
  last_zeros_lost:
    "it loses zeros at the end of the digest, and so refuses 1 of 16 valid deliveries: print all 32 bytes with two digits each, such as with `%02x`",
  digest_printed_as_signed_number:
    "it prints the digest as a signed number, as `new BigInteger(bytes)` does, and so refuses 1 of 2 valid deliveries: print all 32 bytes with two digits each, such as with `%02x`",
  prefix_characters_removed:
    'it removes the prefix as a set of characters, as `lstrip("sha256=")` and `ltrim` do, and so refuses 1 of 4 valid deliveries: cut off the first 7 characters',
  compared_until_zero_byte:
    "it compares the digest as text that ends at a zero byte, so 1 of 256 forgeries gets in: compare all 64 digits, and their number, in constant time",
  first_part_compared:
    "it compares only the first part of the digest, or as a number with fewer digits: compare all 64 digits, and their number, in constant time",
  last_part_compared:
    "it compares only the last part of the digest, or a sum of its bytes: compare all 64 digits, and their number, in constant time",
  one_digit_not_compared:
    "it compares all digits but one: compare all 64 digits, and their number, in constant time",
  few_digits_compared:
    "it accepts some wrong digests: it compares only a digit or two, or numbers too large for their type: compare all 64 digits, and their number, in constant time",
  error_counts_as_success:
    "an error while comparing counts as success: require 64 digits before you compare, and refuse after any error",
  guessable_secret:
    "it falls back to a secret that anyone can guess: refuse to start without the subscription's secret",
  some_kinds_verified:
    "it verifies the signature of some kinds only: verify every delivery before you look at `event`",
  signature_remembered:
    "it remembers a signature and takes it for any body: compute the digest of each body anew",
  verification_remembered:
    "it keeps what it has verified for a connection or for all requests: keep nothing from one request to the next",
  duplicates_before_verification:
    "it looks for duplicates before it verifies, and so tells anyone which events it has: verify first",
  some_types_verified:
    "it checks the signature only for some content types: read the raw bytes of every request and verify them before any parser (in Express `express.raw({ type: () => true })`, not `express.json({ verify })`)",
  some_routes_verified:
    "it checks the signature only for some methods or spellings of the path: verify in the handler itself, not where method and path are compared, and use no method override",
  some_framings_verified:
    "it checks the signature only for some forms or sizes of bodies: read the raw bytes of every request, however they are encoded, and verify them before anything else",
  proxy_headers_trusted:
    "it does not verify what seems to come from its own network or from someone signed in, which anyone can claim in a header: verify every delivery",
  query_trusted:
    "it takes an event's fields from the URL, which no signature covers: read them from the verified body alone",
  body_not_compared:
    "it does not compare the signature with the body: compute HMAC-SHA256 over the bytes and compare",
  bytes_not_verified:
    "it does not verify the received bytes: read the body as bytes before any parser, and verify those",
  invalid_bytes_dropped:
    'it drops invalid bytes before it verifies, as `decode("utf-8", "ignore")` does, so they can be put in: verify the bytes, then decode',
  byte_order_mark_dropped:
    "it drops a byte order mark before it verifies, as `TextDecoder` and `request.text()` do: verify the bytes, then decode",
  decoded_text_verified:
    "it verifies the decoded text, but different bytes can decode to the same text: verify the bytes, then decode",
  other_bytes_verified:
    "it verifies re-serialised JSON or decoded text, not the raw bytes: read the body as bytes before any parser",
  pieces_joined_as_text:
    "it joins the pieces as text, which breaks a character in two, or reads only the first: collect all bytes, then decode them",
  size_limit_below_events:
    "its limit is lower than a real event may be: accept at least a few hundred KiB",
  size_limit_low:
    "its limit is low, since the description shows no maximum size: accept at least a few hundred KiB",
  byte_order_mark_removed:
    "it removes the byte order mark before verifying: verify the received bytes, and remove it only for parsing",
  envelope_not_checked:
    "it confirms a body that is not an envelope: check that `event`, `timestamp`, `data` and `webhook` are present, else answer 400",
  unparsable_body_confirmed: "it confirms a body that it cannot parse: answer 400",
  empty_body_confirmed: "it confirms an empty body: answer 400",
  invalid_utf8_confirmed:
    "it confirms a body that is not valid UTF-8: decode strictly after verifying, and answer 400",
  content_failed:
    "its code fails on this, so the sender retries the same bytes for ever: catch the error and answer 400",
  parsed_by_type_first:
    "it parses by Content-Type before it verifies: read the raw bytes, whatever the header says",
  length_required: "it requires a Content-Length: read the body to its end",
  continue_not_sent:
    "it refuses a sender that waits for 100 Continue: answer 100, or just read the body",
  connection_mishandled:
    "it mishandles a connection after refusing a delivery: read the rest of the body, or close the connection",
  body_not_awaited:
    "it does not wait for the whole body: read it to its end, and allow several seconds",
  body_awaited_for_ever:
    "it waits for the rest of a body for ever: allow several seconds for the whole body, then answer 408 or close",
  size_unlimited: "it accepts a body of any size: limit it, for example to 1 MiB, and answer 413",
  size_of_chunks_unlimited:
    "its limit does not apply without a length: count the bytes as they arrive, and answer 413",
  get_confirmed: "it confirms a GET: accept only POST, and answer 405",
  put_confirmed: "it confirms a PUT: accept only POST, and answer 405",
  any_path_accepted: "it accepts deliveries at any path: answer 404 at all others",
  decompressed_before_verified:
    "it decompresses a body before verifying it: refuse Content-Encoding, or limit the decompressed size",
  timestamp_form_refused:
    "it does not accept every form of an ISO 8601 timestamp in UTC: support fractions and offsets",
  window_shorter_than_retries:
    "its time window is shorter than retries may take: accept events that are several days old, and deduplicate",
  clock_difference_refused: "it tolerates no difference between clocks: accept a few minutes",
  any_age_accepted:
    "it accepts events of any age, so a replay may be older than its dedup keys: refuse events older than those",
  future_accepted: "it accepts events from the future: refuse events more than a few minutes ahead",
  timestamp_not_checked:
    "it does not check the timestamp: answer 400 to anything but ISO 8601 in UTC",
  duplicate_refused:
    "it refuses a duplicate, so the sender retries for ever: answer 200 to a duplicate",
  respelt_duplicate_refused: "it refuses a duplicate with another serialisation: answer 200",
  copies_conflict:
    "simultaneous copies conflict: let the unique constraint decide, and answer 200 to the losers",
  not_run_exactly_once:
    "it confirms an event but does not run it exactly once: check its log, and what --observe counts",
  duplicate_run_again:
    "it runs a repeated delivery again: store a key of each event with a unique constraint, and do not run an event whose key exists",
  events_known_by_bytes:
    "it identifies events by their bytes, so a retry with another serialisation runs again: derive the key from values",
  second_event_lost:
    "it treats two events as one and loses the second: the resource's id and the time are not a unique key; include `data`",
  fraction_not_in_key:
    "it takes two events within a second for one and loses the second: keep the timestamp's fraction in the key",
  timestamp_not_in_key:
    "it takes a later event with the same data for a duplicate and loses it: include the timestamp in the key",
  all_copies_run:
    "simultaneous copies all run, since each checks before another has written: store a key of each event with a unique constraint, and do not run an event whose key exists",
  forged_copy_kept:
    "a forged copy replaces the event: verify the signature before you store anything",
  forged_event_run:
    "it runs an event with a wrong signature, whatever it answers: verify before anything else",
  concurrent_events_lost:
    "it confirms events that it then loses when several come at once: store each before you answer",
};

/** The fault of a case and its fix. */
export function caseCauseText(code: CauseCode, id: string): string {
  const kind = UNDESCRIBED[id as keyof typeof UNDESCRIBED];
  return CAUSES[code].replace("{kind}", kind);
}
