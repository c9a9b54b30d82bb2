import type { Cause } from "../../signature/diagnose/causes.ts";
import { namesOf, printedText } from "../../signature/diagnose/json-libraries.ts";
import type { AttemptCause, AttemptFault, ValueForm } from "../attempts/attempt-cause.ts";
import type { MixedAnswers } from "../mixed.ts";
import { answerText, anyOf } from "./answers.ts";

/** What a receiver expects in the header in place of `sha256=` and the hex digest. */
const VALUES: Readonly<Record<ValueForm, string>> = {
  digest: "the digest alone, without `sha256=`",
  upper_case: "the digest in upper case",
  upper_case_digest: "the digest alone in upper case",
  base64: "the digest in base64",
  base64_digest: "the digest alone in base64",
  base64_of_hex: "the hex digits in base64 again",
  base64_of_hex_digest: "the hex digits in base64 again, alone",
  prefix_twice: "the prefix twice",
  signed_bytes:
    "bytes from 0x80 as negative numbers, as `Integer.toHexString(b)` prints them without `& 0xff`",
};

/** Why a receiver refuses valid deliveries, and the fix. */
export function attemptText(cause: AttemptCause): string {
  switch (cause.code) {
    case "refuses_at_random":
      return cause.mixed === undefined
        ? "It accepts some valid deliveries and refuses others."
        : mixedText(cause.mixed);
    case "inverted":
      return "It refuses valid deliveries and confirms wrong signatures: its comparison is inverted. Refuse unless the digests are equal.";
    case "signature_accepted":
      return (
        "It answers otherwise to a wrong signature, so this one is right, and it refuses something else: if it looks up the " +
        "property, the tenant or the webhook, send an event that it knows with --event."
      );
    case "too_slow_to_try":
      return "Most likely the secrets differ, or the signature header's name. It answers too slowly to try all common faults.";
  }
  if (cause.failedWith === undefined) return faultText(cause);
  return `${faultText(cause)} It was then answered with ${answerText(cause.failedWith)}: it fails on what follows.`;
}

function mixedText({ accepted, sent, division }: MixedAnswers): string {
  if (accepted === sent)
    return `It refused a valid delivery, and accepted all ${sent} that came after it: look for what it does only at its start, and for a check that depends on more than the body and the secret.`;
  const many = `It accepted ${accepted} of ${sent} valid deliveries`;
  if (division === undefined)
    return `${many}, and refused the others by chance: look for instances with different secrets, and for a check that depends on more than the body and the secret.`;
  switch (division.by) {
    case "connection":
      return `${many}: each connection's are answered alike, so its instances have different secrets. Give all of them the same.`;
    case "turn":
      return `${many}: the same answer comes every ${division.of} requests, so its instances take turns, and have different secrets. Give all of them the same.`;
    case "first_digit":
      return `${many}: it refuses digests that begin with ${anyOf(division.digits)}. Compare the whole digest; to remove the prefix \`sha256=\`, cut off 7 characters.`;
    case "last_digit":
      return `${many}: it refuses digests that end in ${anyOf(division.digits)}. Compare the whole digest; to remove the prefix \`sha256=\`, cut off 7 characters.`;
  }
}

function faultText(fault: AttemptFault): string {
  switch (fault.code) {
    case "json_verified": {
      const { libraries } = fault;
      const raw = namesOf(libraries.map(({ raw }) => ({ name: raw }))).join("; ");
      return (
        `The receiver does not verify the raw body, but JSON made from it, ${printedText(namesOf(libraries))}: valid ` +
        "deliveries that are serialised differently are refused. Read the body as bytes before any parser, verify those, " +
        `then parse: ${raw}.`
      );
    }
    case "other_body_verified": {
      const fix = "Read the body as bytes before any parser, and verify those";
      return `The receiver does not verify the raw body: ${inReceiver({ ...fault.cause, fix })}`;
    }
    case "time_in_data_used":
      return "The receiver takes a time in `data`, such as `created_at`, for that of the delivery, and refuses what is old. Use `timestamp` of the envelope.";
    case "other_value_expected":
      return `The receiver expects ${VALUES[fault.form]}. The header's value is \`sha256=\` and 64 lowercase hex digits.`;
    case "other_algorithm_expected":
      return `The receiver expects an HMAC with ${fault.algorithm}. Use HMAC-SHA256.`;
    case "other_header_read":
      return `The receiver reads the signature from the header ${fault.name}. Pass --signature-header ${fault.name}, or read ${fault.own} in the receiver.`;
    case "other_key_used":
      return `The receiver uses another key: ${inReceiver(fault.cause)}`;
    case "other_scheme_verified": {
      const signed = fault.signed?.replace(/^\S+$/, "`$&`");
      return `The receiver verifies ${signed}, as other services sign it. The service signs the raw body alone.`;
    }
  }
}

/**
 * A cause of `verify` and its fix in the words of `check`: what signs is the receiver, which
 * computes what it compares.
 */
function inReceiver({ meaning, detail, fix }: Pick<Cause, "meaning" | "detail" | "fix">): string {
  const said = detail === null ? meaning : `${meaning} (${detail})`;
  return `${said}. ${fix.slice(0, 1).toUpperCase()}${fix.slice(1)}.`
    .replace(/\bsign(ed)?\b/g, (_, ed?: string) => (ed === undefined ? "verify" : "verified"))
    .replaceAll("on the signing side", "in the receiver")
    .replaceAll("on this side", "here");
}
