import { createHash, createHmac, randomBytes } from "node:crypto";
import { type CaseDefinition, casesOf } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { REFUSED, sendForged } from "./forgeries.ts";

/** What a value of the header is made from. */
interface SignedProbe {
  readonly probe: Probe;
  readonly body: Buffer;
  /** The 64 digits of the right signature. */
  readonly digest: string;
}

/** Makes the value or the values of the signature header; `null` is none. */
type HeaderValue = (given: SignedProbe) => string | readonly string[] | null;

const ZEROS = `sha256=${"0".repeat(64)}`;
const hmac = (
  algorithm: string,
  { probe, body }: SignedProbe,
  encoding: "hex" | "base64" = "hex",
) => createHmac(algorithm, probe.secret).update(body).digest(encoding);

const FORGED = { ...REFUSED, crash: "forged_value_failed" } as const;
/** Only who has the secret can send these. */
const MISPLACED = { ...FORGED, isForgery: false } as const;
/** Only the sender's own digest is accepted, in whatever form. */
const REWRITTEN = {
  ...MISPLACED,
  cause: "other_form_accepted",
  about: "form",
} as const;
/**
 * One case recommends 401 for a missing and one for a wrong signature, so that the advice appears
 * only twice.
 */
const BEST_401 = { answers: REFUSED.expects.answers, best: ["401"] } as const;
const NOT_COMPARED = { ...FORGED, cause: "digest_not_compared" } as const;
const SHORT = { ...FORGED, cause: "short_digest_accepted" } as const;
const NO_DIGEST = { ...FORGED, cause: "non_digest_accepted" } as const;

/**
 * What a sender may have in place of a digest, and a receiver may compare with the same mistake of
 * its own.
 */
const NO_DIGESTS = [
  "",
  "sha256=",
  "sha256=undefined",
  "sha256=null",
  "sha256=[object Promise]",
  "none",
  "*",
];

/** All wrong forms of the header's value, signatures in wrong places, and one correct form. */
export const SIGNATURE_CASES = {
  ...values(
    { ...FORGED, expects: BEST_401, cause: "unsigned_accepted", shows: "unsigned" },
    { "SIG-01": () => null },
  ),
  "SIG-02": {
    ...FORGED,
    cause: "value_without_digest_accepted",
    shows: "no_digest",
    send: (probe) => {
      const body = probe.body();
      const forgeries = NO_DIGESTS.map((signature) => ({
        name: signature || "empty",
        send: () => probe.post(body, { signature }),
      }));
      return sendForged(forgeries);
    },
  },
  ...values(REWRITTEN, {
    "SIG-03": ({ digest }) => digest,
    "SIG-04": ({ digest }) => `sha256=${digest.toUpperCase()}`,
    "SIG-05": ({ digest }) => `SHA256=${digest}`,
    "SIG-09": ({ digest }) => `sha256=sha256=${digest}`,
    "SIG-12": ({ digest }) => `sha256=${digest}0`,
    "SIG-13": ({ digest }) => `sha256=${digest};v=1`,
    "SIG-14": (given) => `sha256=${hmac("sha256", given, "base64")}`,
  }),
  ...values(
    { ...MISPLACED, cause: "algorithm_chosen_by_sender" },
    {
      "SIG-06": (given) => `sha1=${hmac("sha1", given)}`,
      "SIG-07": (given) => `sha512=${hmac("sha512", given)}`,
      "SIG-08": (given) => `sha256=${hmac("sha512", given)}`,
    },
  ),
  ...values(
    { ...SHORT, shows: "half_digest" },
    { "SIG-10": ({ digest }) => `sha256=${digest.slice(0, 32)}` },
  ),
  ...values(
    { ...SHORT, shows: "all_digits_but_one" },
    { "SIG-11": ({ digest }) => `sha256=${digest.slice(0, -1)}` },
  ),
  ...values(NO_DIGEST, {
    "SIG-15": () => `sha256=${"z".repeat(64)}`,
  }),
  ...values(
    { ...NO_DIGEST, shows: "not_ascii" },
    { "SIG-16": () => `sha256=${"\u00e9".repeat(64)}` },
  ),
  ...values({ ...NOT_COMPARED, expects: BEST_401, shows: "zeros" }, { "SIG-17": () => ZEROS }),
  ...values(
    { ...NOT_COMPARED, shows: "other_secret" },
    { "SIG-18": ({ probe, body }) => probe.sign(body, randomBytes(32).toString("hex")) },
  ),
  ...values(NOT_COMPARED, {
    "SIG-21": ({ probe }) => probe.sign(Buffer.from("{}")),
  }),
  ...values(
    { ...FORGED, cause: "empty_secret" },
    { "SIG-19": ({ body }) => `sha256=${createHmac("sha256", "").update(body).digest("hex")}` },
  ),
  ...values(
    { ...FORGED, cause: "hash_without_secret" },
    { "SIG-20": ({ body }) => `sha256=${createHash("sha256").update(body).digest("hex")}` },
  ),
  ...values(
    { ...REWRITTEN, cause: "one_of_two_values_used", severity: "recommended", why: "sent_twice" },
    {
      "SIG-22": ({ digest }) => [ZEROS, `sha256=${digest}`],
      "SIG-23": ({ digest }) => [`sha256=${digest}`, ZEROS],
    },
  ),
  "SIG-24": {
    ...MISPLACED,
    cause: "signature_read_from_url",
    send: (probe) => {
      const body = probe.body();
      const { target, signatureHeader } = probe;
      const query = `${target.includes("?") ? "&" : "?"}${signatureHeader}=${encodeURIComponent(probe.sign(body))}`;
      return probe.post(body, { signature: null, target: target + query });
    },
  },
  "SIG-25": {
    ...MISPLACED,
    cause: "signature_read_from_body",
    send: (probe) => {
      const signature = probe.sign(probe.body());
      return probe.post(probe.body({ signature, [probe.signatureHeader]: signature }), {
        signature: null,
      });
    },
  },
  "SIG-26": {
    ...FORGED,
    expects: {
      answers: REFUSED.expects.answers,
      best: REFUSED.expects.answers, // a server need not take trailers at all
    },
    severity: "recommended",
    why: "trailer", // some servers take them for headers, and only the sender can sign
    cause: "signature_read_from_trailer",
    send: (probe) => {
      const body = probe.body();
      const trailers = { [probe.signatureHeader]: probe.sign(body) };
      const headers = { trailer: probe.signatureHeader };
      return probe.post(body, { signature: null, chunked: true, trailers, headers });
    },
  },
  "SIG-27": {
    ...MISPLACED,
    cause: "signature_read_from_other_header",
    send: (probe) => probe.post(probe.body(), { header: "x-check-signature" }),
  },
  "SIG-28": {
    expects: { answers: ["200"] },
    severity: "required",
    why: "header_name",
    about: "header",
    cause: "header_name_case_sensitive",
    send: (probe) => probe.post(probe.body(), { header: probe.signatureHeader.toUpperCase() }),
  },
} satisfies Readonly<Record<string, CaseDefinition>>;

/** Deliveries whose body is valid, and whose signature header has another value. */
function values<Id extends string>(
  common: Omit<CaseDefinition, "send">,
  rows: Readonly<Record<Id, HeaderValue>>,
) {
  return casesOf<Id, HeaderValue>(
    common,
    (probe, value) => {
      const body = probe.body();
      return probe.post(body, {
        signature: value({ probe, body, digest: probe.digest(body) }),
      });
    },
    rows,
  );
}
