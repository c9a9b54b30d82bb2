const RAW = "take the raw bytes before any JSON parser sees them, and sign exactly the bytes that are sent";
const FORM = "send `sha256=` and the digest as 64 lowercase hex digits, and nothing else";
const SECRET = "store the same secret on both sides";

/** Why a signature does not match, with the fix. The codes are stable; `docs/signature.md` lists the same. */
export const CAUSES = {
  valid: { meaning: "the signature is good", fix: "nothing is to be done" },
  json_spacing: { meaning: "it was made over the same JSON with other spacing", fix: RAW },
  json_key_order: { meaning: "it was made over the same JSON with its keys in another order", fix: RAW },
  json_escapes: { meaning: "it was made over the same JSON with its characters escaped otherwise", fix: RAW },
  json_numbers: { meaning: "it was made over the same JSON with its numbers printed anew", fix: RAW },
  newline_at_end: {
    meaning: "it was made over a body that differs by the line break at its end",
    fix: "sign what is sent, to the last byte: `printf '%s'` instead of `echo`, `--data-binary` instead of `--data`",
  },
  line_endings: {
    meaning: "it was made over a body with other line breaks inside",
    fix: "send with `curl --data-binary`, and let no editor, git or proxy change line breaks",
  },
  byte_order_mark: {
    meaning: "it was made over a body that differs by the byte order mark at its start",
    fix: "save the body as UTF-8 without a byte order mark, and sign the bytes that are sent",
  },
  charset: {
    meaning: "it was made over the same text in another character encoding",
    fix: "sign the UTF-8 bytes that are sent, and read the body as bytes, never as text",
  },
  undecodable: {
    meaning: "the body was decoded as UTF-8 though it is not, and lost bytes on one side",
    fix: "read the body as bytes, never as text, and send UTF-8",
  },
  body_empty: {
    meaning: "it was made over an empty body",
    fix: "sign after the body is known; a stream that was read once is empty the second time",
  },
  body_placeholder: {
    meaning: "it was made over the name of a value instead of the body",
    fix: "sign the bytes of the body, not an object or a variable that is not set",
  },
  body_string: {
    meaning: "one side has the body as it is, the other has it inside a JSON string",
    fix: "encode the body as JSON once, not twice",
  },
  body_form: {
    meaning: "one side has the body as it is, the other has it encoded as a form",
    fix: "send the JSON itself as the body, with `content-type: application/json`",
  },
  body_base64: {
    meaning: "one side has the body as it is, the other has it in base64",
    fix: "decode the body first where a platform delivers it in base64 (`isBase64Encoded`)",
  },
  body_data_only: {
    meaning: "it was made over the `data` member alone",
    fix: "sign the whole body, not a part of it",
  },
  secret_other: {
    meaning: "it was made with another secret that is set here",
    fix: "use that secret, or list both for a rotation: the current one first",
  },
  secret_quotes: { meaning: "one side has quotes around its secret, the other has not", fix: SECRET },
  secret_whitespace: {
    meaning: "one side has spaces or a line break around its secret, the other has not",
    fix: SECRET,
  },
  secret_hex: {
    meaning: "one side takes the secret as text, the other decodes it as hex",
    fix: "take the secret as the text it is, on both sides",
  },
  secret_base64: {
    meaning: "one side takes the secret as text, the other decodes it as base64",
    fix: "take the secret as the text it is, on both sides",
  },
  secret_unset: {
    meaning: "it was made with an empty secret, or with the name of one that is not set",
    fix: "set the secret where the signature is made, and refuse to sign without one",
  },
  digest_without_hmac: {
    meaning: "it is a plain hash, not an HMAC",
    fix: "use HMAC-SHA256 with the secret as the key; a plain hash is no signature",
  },
  digest_algorithm: {
    meaning: "it was made with another hash function",
    fix: "use HMAC-SHA256, with the prefix `sha256=`",
  },
  digest_upper_case: { meaning: "the digest or its prefix is in upper case", fix: FORM },
  digest_base64: { meaning: "the digest is written in base64", fix: FORM },
  digest_base64url: { meaning: "the digest is written in base64url", fix: FORM },
  digest_truncated: { meaning: "the digest is the right one, but its end is missing", fix: FORM },
  digest_absent: {
    meaning: "there is no digest in the header",
    fix: "wait for the digest, check that the signing step did not fail, and send it",
  },
  prefix_missing: { meaning: "the digest has no prefix", fix: FORM },
  prefix_doubled: { meaning: "the digest has its prefix more than once", fix: FORM },
  prefix_wrong: { meaning: "the digest has another prefix", fix: FORM },
  header_extra_text: {
    meaning: "the header holds more than a prefix and a digest",
    fix: "cut the spaces, quotes, or what `openssl dgst` prints before the digest",
  },
  header_repeated: {
    meaning: "the header came more than once",
    fix: "send one signature header: look for a proxy or a middleware that adds a second one",
  },
  header_name: {
    meaning: "a header of another name carries a good signature",
    fix: "name that header: `--signature-header` on the command line, `signatureHeader` in the library",
  },
  header_missing: {
    meaning: "the delivery has no signature header",
    fix: "sign it, or name the header that the sender uses",
  },
  other_scheme: {
    meaning: "the header has the form of another service's signatures",
    fix: "send `sha256=` and the HMAC-SHA256 of the raw body, without a timestamp or version",
  },
  unexplained: {
    meaning: "no common cause explains it",
    fix: "go through the advice in its order",
  },
} as const;

/** One of the stable codes of a diagnosis. */
export type CauseCode = keyof typeof CAUSES;

/** One cause: what was found, and what to do about it. Holds no secret, no digest and nothing of the body. */
export interface Cause {
  readonly code: CauseCode;
  readonly meaning: string;
  readonly fix: string;
  /** What exactly, such as `2 spaces`; `null` where the code says it all. */
  readonly detail: string | null;
}

/** A cause by its code. */
export function cause(code: CauseCode, detail: string | null = null): Cause {
  return { code, ...CAUSES[code], detail };
}
