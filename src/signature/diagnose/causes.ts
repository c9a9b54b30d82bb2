const RAW = "use the raw bytes, before any JSON parser, and sign exactly the bytes that are sent";
const FORM = "send `sha256=` and the digest as 64 lowercase hex digits, and nothing else";
const SECRET = "store the same secret on both sides";

/** Causes that have a fix in common. */
function withFix<Code extends string>(fix: string, meanings: Readonly<Record<Code, string>>) {
  const rows = Object.entries<string>(meanings).map(([code, meaning]) => [code, { meaning, fix }]);
  return Object.fromEntries(rows) as Readonly<
    Record<Code, { readonly meaning: string; readonly fix: string }>
  >;
}

const JSON_CAUSES = withFix(RAW, {
  json_spacing: "the signed body was the same JSON with different spacing",
  json_key_order: "the signed body was the same JSON with its keys in a different order",
  json_escapes: "the signed body was the same JSON with its characters escaped differently",
  json_numbers: "the signed body was the same JSON with its numbers formatted differently",
  json_nulls: "the signed body was the same JSON without the members that are `null`",
  json_empty_objects: "one side has `[]` where the other has `{}`, as PHP prints an empty array",
});

const PREFIX_CAUSES = withFix(FORM, {
  prefix_missing: "the digest has no prefix",
  prefix_doubled: "the digest has more than one prefix",
  prefix_wrong: "the digest has a different prefix",
});

/**
 * Why a signature does not match, with the fix. The codes are stable. A test compares this with
 * `docs/reference/signature.md`.
 */
export const CAUSES = {
  valid: { meaning: "the signature is good", fix: "nothing to do" },
  ...JSON_CAUSES,
  newline_at_end: {
    meaning: "the signed body differs in the line break at its end",
    fix: "sign exactly what is sent, to the last byte: `printf '%s'` instead of `echo`, `--data-binary` instead of `--data`",
  },
  nuls_at_end: {
    meaning: "the signed body differs in the NUL bytes at its end",
    fix: "sign and send as many bytes as the body has, not the whole buffer, and no NUL that ends a text",
  },
  line_endings: {
    meaning: "the signed body has different line breaks",
    fix: "send with `curl --data-binary`, and let no editor, git or proxy change line breaks",
  },
  white_space: {
    meaning: "the signed body had each run of white space as one space",
    fix: "quote the variable in a shell (`printf '%s' \"$BODY\"`), and sign the bytes that are sent",
  },
  byte_order_mark: {
    meaning: "the signed body differs in the byte order mark at its start",
    fix: "save the body as UTF-8 without a byte order mark, and sign the bytes that are sent",
  },
  charset: {
    meaning: "the signed body was the same text in another character encoding",
    fix: "sign the UTF-8 bytes that are sent, and read the body as bytes, never as text",
  },
  undecodable: {
    meaning: "one side decoded the body as UTF-8 although it is not, and lost bytes",
    fix: "read the body as bytes, never as text, and send UTF-8",
  },
  body_empty: {
    meaning: "the signed body was empty",
    fix: "sign when the body is complete; a stream that was read once is empty the second time",
  },
  body_placeholder: {
    meaning: "the name of a value was signed instead of the body",
    fix: "sign the bytes of the body, not an object or a variable that is not set",
  },
  body_string: {
    meaning: "one side has the body itself, the other has it inside a JSON string",
    fix: "encode the body as JSON once, not twice",
  },
  body_wrapped: {
    meaning:
      "one side has the body itself, the other has it in a wrapping, as of a queue or a gateway",
    fix: "take the body out of the wrapping first, and verify exactly its text",
  },
  body_twice: {
    meaning: "one side has the body twice, one after the other",
    fix: "add each part of the body once: look for two listeners, or a middleware that reads it, too",
  },
  body_dump: {
    meaning:
      "one side has the body itself, the other has its bytes as numbers, as a dump shows them",
    fix: "use the bytes themselves, and save them with `curl --output` or `tee`, not from a log",
  },
  body_form: {
    meaning: "one side has the body itself, the other has it encoded as a form",
    fix: "send the JSON itself as the body, with `content-type: application/json`",
  },
  body_base64: {
    meaning: "one side has the body itself, the other has it in base64",
    fix: "decode the body first if a platform delivers it in base64 (`isBase64Encoded`)",
  },
  body_html: {
    meaning: "one side has the body itself, the other has it with HTML entities such as `&quot;`",
    fix: "use the raw bytes, before any filter or template that escapes HTML",
  },
  body_compressed: {
    meaning: "one side has the body itself, the other has it compressed",
    fix: "send it without `content-encoding`, or sign the compressed bytes that are sent",
  },
  unicode_form: {
    meaning:
      "the signed body was the same text, with accents, quotes or spaces in other characters",
    fix: "sign exactly the bytes that are sent, and do not normalise text in between",
  },
  body_not_json: {
    meaning: "the signed body was the parsed body as a language shows it, not as JSON",
    fix: RAW,
  },
  body_cut: {
    meaning: "only the beginning of the body was signed",
    fix: "read the body to its end before you sign it, in bytes, without a limit on its length",
  },
  body_data_only: {
    meaning: "only the `data` member was signed",
    fix: "sign the whole body",
  },
  secret_other: {
    meaning: "it was signed with another secret that is set here",
    fix: "use that secret, or list both during a rotation, the current one first",
  },
  secret_quotes: {
    meaning: "one side has quotes around its secret, the other does not",
    fix: SECRET,
  },
  secret_whitespace: {
    meaning: "one side has spaces, line breaks or invisible characters in or around its secret",
    fix: SECRET,
  },
  secret_hex: {
    meaning: "one side decodes the secret as hex, the other does not",
    fix: "use the secret as text on both sides, or decode it on both: `HOOKPORTER_SECRET_ENCODING=hex`",
  },
  secret_base64: {
    meaning: "one side decodes the secret as base64, the other does not",
    fix: "use the secret as text on both sides, or decode it on both: `HOOKPORTER_SECRET_ENCODING=base64`, or `whsec` if it begins with `whsec_`",
  },
  secret_unset: {
    meaning: "the secret was empty or not set on the signing side",
    fix: "set the secret on the signing side, and refuse to sign without one",
  },
  secret_cut: {
    meaning: "part of the secret was lost on one side",
    fix: "put the secret in single quotes in a shell and in an env file, so that `#`, `$` and `\\` are kept",
  },
  secret_encoded: {
    meaning: "one side has the secret with characters encoded, the other does not",
    fix: SECRET,
  },
  secret_name: {
    meaning: "the secret contains more than its value on one side",
    fix: "set the value alone, without a name, a prefix, a comment or brackets",
  },
  secret_hashed: {
    meaning: "a hash of the secret was the key on the signing side",
    fix: "use the secret itself as the key: HMAC hashes it as far as it needs to",
  },
  body_hashed: {
    meaning: "a hash of the body was signed instead of the body",
    fix: "sign the body itself: HMAC-SHA256 hashes it",
  },
  digest_without_hmac: {
    meaning: "the digest is a plain hash, not an HMAC",
    fix: "use HMAC-SHA256 with the secret as the key; a plain hash is not a signature",
  },
  key_and_body_swapped: {
    meaning: "the body was the key of the HMAC, and the secret the message",
    fix: "pass the secret as the key and the body as the message; libraries differ in the order",
  },
  digest_hashed: {
    meaning: "the digest was signed or hashed once more",
    fix: "sign the body once, and send that digest",
  },
  digest_algorithm: {
    meaning: "another hash function was used",
    fix: "use HMAC-SHA256, with the prefix `sha256=`",
  },
  digest_upper_case: { meaning: "the digest or its prefix is in upper case", fix: FORM },
  digest_base64: { meaning: "the digest is encoded in base64", fix: FORM },
  digest_base64url: { meaning: "the digest is encoded in base64url", fix: FORM },
  digest_truncated: { meaning: "the digest's end is missing", fix: FORM },
  digest_zeros_lost: {
    meaning: "the digest lacks zeros at the start of numbers",
    fix: "print each byte as two hex digits, such as with `%02x`",
  },
  digest_separated: {
    meaning: "the digest is printed byte by byte, or as a number",
    fix: FORM,
  },
  digest_signed_bytes: {
    meaning: "the digest has its bytes printed as signed numbers",
    fix: "print each byte as two hex digits: `b & 0xff` in Java, or `HexFormat`",
  },
  digest_hex_twice: {
    meaning: "the digest is encoded as hex twice",
    fix: "encode once: many libraries return hex already, such as `hash_hmac` of PHP",
  },
  digest_absent: {
    meaning: "the header contains no digest",
    fix: "wait for the digest, check that the signing step succeeded, then send it",
  },
  ...PREFIX_CAUSES,
  header_extra_text: {
    meaning: "the header contains more than a prefix and a digest",
    fix: "remove spaces, quotes and anything that `openssl dgst` prints before the digest",
  },
  header_repeated: {
    meaning: "the header was sent more than once",
    fix: "send one signature header; look for a proxy or middleware that adds a second one",
  },
  header_name: {
    meaning: "a header with another name has a valid signature",
    fix: "set that name: `HOOKPORTER_SIGNATURE_HEADER` for the commands, `signatureHeader` in the library",
  },
  header_missing: {
    meaning: "the delivery has no signature header",
    fix: "sign it, or set the name of the header that the sender uses",
  },
  other_scheme: {
    meaning: "the signature has the format of another service's",
    fix: "send `sha256=` and the HMAC-SHA256 of the raw body, without a timestamp, a URL or a version",
  },
  unexplained: {
    meaning: "no common cause explains it",
    fix: "follow the advice, in order",
  },
} as const;

/** One of the stable codes of a diagnosis. */
export type CauseCode = keyof typeof CAUSES;

/** Whether the signed body was the same JSON, printed otherwise. */
export function isAboutJson(code: CauseCode): boolean {
  return code in JSON_CAUSES;
}

export function isAboutPrefix(code: CauseCode): boolean {
  return code in PREFIX_CAUSES;
}

/**
 * One cause: what was found, and the fix. Contains no secret, no digest and nothing from the body.
 */
export interface Cause {
  readonly code: CauseCode;
  readonly meaning: string;
  readonly fix: string;
  /** Details, such as `2 spaces`; `null` if the code needs none. */
  readonly detail: string | null;
}

/** A cause by its code. */
export function cause(code: CauseCode, detail: string | null = null): Cause {
  return { code, ...CAUSES[code], detail };
}
