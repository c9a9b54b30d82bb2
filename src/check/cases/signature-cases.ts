import { createHash, createHmac, randomBytes } from "node:crypto";
import type { CheckCase, Severity } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";

type SignatureRow = readonly [
  id: CheckCase["id"],
  sent: string,
  value: (probe: Probe, body: Buffer) => string | readonly string[] | null,
  fix: string,
  about?: "form",
  weight?: readonly [Severity, string],
];

/** Values of the signature header that must be refused, the body being in order. */
const VALUES: readonly SignatureRow[] = [
  [
    "SIG-01",
    "no signature header",
    () => null,
    "it takes deliveries that nobody signed: refuse those without the header",
  ],
  [
    "SIG-02",
    "an empty signature header",
    () => "",
    "it takes an empty signature: refuse it like a missing one",
  ],
  [
    "SIG-03",
    "the bare hex digest, without sha256=",
    (probe, body) => probe.digest(body),
    "it does not ask for the prefix: compare the whole header value with `sha256=` + digest",
    "form",
  ],
  [
    "SIG-04",
    "the digest in upper-case hex",
    (probe, body) => `sha256=${probe.digest(body).toUpperCase()}`,
    "it takes upper-case digits: match the value against ^sha256=[0-9a-f]{64}$ before decoding it",
    "form",
  ],
  [
    "SIG-05",
    "the prefix SHA256= in upper case",
    (probe, body) => `SHA256=${probe.digest(body)}`,
    "it takes another prefix: compare the whole header value, letter for letter",
    "form",
  ],
  [
    "SIG-06",
    "sha1= and an HMAC-SHA1 digest",
    (probe, body) => `sha1=${createHmac("sha1", probe.secret).update(body).digest("hex")}`,
    "it lets the sender choose a weaker algorithm: accept HMAC-SHA256 alone",
  ],
  [
    "SIG-07",
    "sha512= and an HMAC-SHA512 digest",
    (probe, body) => `sha512=${createHmac("sha512", probe.secret).update(body).digest("hex")}`,
    "it lets the sender choose the algorithm: accept HMAC-SHA256 alone",
  ],
  [
    "SIG-08",
    "sha256= and an HMAC-SHA512 digest (128 digits)",
    (probe, body) => `sha256=${createHmac("sha512", probe.secret).update(body).digest("hex")}`,
    "it takes a digest of another length: ask for exactly 64 hex digits",
  ],
  [
    "SIG-09",
    "the prefix twice, sha256=sha256=",
    (probe, body) => `sha256=${probe.sign(body)}`,
    "it strips the prefix more than once, or looks at the end only: compare the whole header value",
    "form",
  ],
  [
    "SIG-10",
    "only the first 32 digits",
    (probe, body) => probe.sign(body).slice(0, -32),
    "it compares only as much as was sent, so a short guess gets in: compare lengths first",
  ],
  [
    "SIG-11",
    "63 digits, the last one missing",
    (probe, body) => probe.sign(body).slice(0, -1),
    "it compares only as much as was sent: ask for exactly 64 hex digits",
  ],
  [
    "SIG-12",
    "65 digits, one too many",
    (probe, body) => `${probe.sign(body)}0`,
    "it ignores what follows the digest: match the value to its end, since decoding hex stops at the first bad digit",
    "form",
  ],
  [
    "SIG-13",
    "junk after the right digest",
    (probe, body) => `${probe.sign(body)};v=1`,
    "it ignores what follows the digest: match the value to its end, since decoding hex stops at the first bad digit",
    "form",
  ],
  [
    "SIG-14",
    "the digest in base64",
    (probe, body) => `sha256=${createHmac("sha256", probe.secret).update(body).digest("base64")}`,
    "it takes another encoding of the digest: take lowercase hex alone",
    "form",
  ],
  [
    "SIG-15",
    "64 characters that are not hex digits",
    () => `sha256=${"z".repeat(64)}`,
    "it takes what is no digest: match the value against ^sha256=[0-9a-f]{64}$ before decoding it",
  ],
  [
    "SIG-16",
    "64 characters outside ASCII",
    () => `sha256=${"\u00e9".repeat(64)}`,
    "it takes what is no digest: match the value against ^sha256=[0-9a-f]{64}$ before decoding it",
  ],
  [
    "SIG-17",
    "64 zeros",
    () => `sha256=${"0".repeat(64)}`,
    "it does not compare the digest at all: compute HMAC-SHA256 over the body and compare",
  ],
  [
    "SIG-18",
    "a signature made with another secret",
    (probe, body) => probe.sign(body, randomBytes(32).toString("hex")),
    "it takes any secret: compute HMAC-SHA256 with the subscription's secret and compare",
  ],
  [
    "SIG-19",
    "a signature made with an empty secret",
    (_, body) => `sha256=${createHmac("sha256", "").update(body).digest("hex")}`,
    "it runs with an empty secret, so anybody can sign: refuse to start without one",
  ],
  [
    "SIG-20",
    "a plain SHA-256 of the body, without the secret",
    (_, body) => `sha256=${createHash("sha256").update(body).digest("hex")}`,
    "it compares a hash that anybody can compute: use HMAC-SHA256 with the secret",
  ],
  [
    "SIG-21",
    "the signature of another body",
    (probe) => probe.sign(Buffer.from("{}")),
    "it does not bind the signature to the body: compute it over the bytes that came",
  ],
  [
    "SIG-22",
    "the header twice: wrong, then right",
    (probe, body) => [`sha256=${"0".repeat(64)}`, probe.sign(body)],
    "it picks one of two values: refuse a delivery that has the header twice",
    "form",
    ["recommended", WHY.sentTwice],
  ],
  [
    "SIG-23",
    "the header twice: right, then wrong",
    (probe, body) => [probe.sign(body), `sha256=${"0".repeat(64)}`],
    "it picks one of two values: refuse a delivery that has the header twice",
    "form",
    ["recommended", WHY.sentTwice],
  ],
];

const REFUSED = {
  right: ["4xx"],
  severity: "required",
  why: WHY.signature,
  crash:
    "its code fails on this value instead of refusing it: check the form and the length before you compare " +
    "(a constant-time comparison throws on unequal lengths or odd characters)",
} as const satisfies Partial<CheckCase>;

/** Where 401 is asked for: once for a missing and once for a wrong signature, so that it is not said thirty times. */
const BEST_401 = new Set(["SIG-01", "SIG-17"]);

/** The header's value in all its wrong forms, signatures in wrong places, and one right form. */
export const SIGNATURE_CASES: readonly CheckCase[] = [
  ...VALUES.map(
    ([id, sent, value, fix, about, [severity, why] = [REFUSED.severity, REFUSED.why]]): CheckCase => ({
      ...{ ...REFUSED, id, sent, fix, severity, why },
      ...(about !== undefined && { about }),
      ...(BEST_401.has(id) && { best: ["401"] }),
      run: (probe) => {
        const body = probe.body();
        return probe.post(body, { signature: value(probe, body) });
      },
    }),
  ),
  {
    ...REFUSED,
    id: "SIG-24",
    sent: "the signature in the query string, no header",
    fix: "it takes a signature from the URL, which logs keep: take it from the header alone",
    run: (probe) => {
      const body = probe.body();
      const { target, signatureHeader } = probe;
      const query = `${target.includes("?") ? "&" : "?"}${signatureHeader}=${encodeURIComponent(probe.sign(body))}`;
      return probe.post(body, { signature: null, target: target + query });
    },
  },
  {
    ...REFUSED,
    id: "SIG-25",
    sent: "a signature in the body, no header",
    fix: "it takes a signature from the body it signs: take it from the header alone",
    run: (probe) => {
      const signature = probe.sign(probe.body());
      return probe.post(probe.body({ signature, [probe.signatureHeader]: signature }), { signature: null });
    },
  },
  {
    ...REFUSED,
    id: "SIG-26",
    sent: "the signature in a trailer, after the body",
    fix: "it takes trailers for headers: take the signature from the header alone",
    run: (probe) => {
      const body = probe.body();
      const trailers = { [probe.signatureHeader]: probe.sign(body) };
      const headers = { trailer: probe.signatureHeader };
      return probe.post(body, { signature: null, chunked: true, trailers, headers });
    },
  },
  {
    ...REFUSED,
    id: "SIG-27",
    sent: "the signature under another header's name",
    fix: "it takes the signature from a header of another name: ask for the one name",
    run: (probe) => probe.post(probe.body(), { header: "x-check-signature" }),
  },
  {
    id: "SIG-28",
    sent: "the header's name in capitals",
    right: ["200"],
    severity: "required",
    why: WHY.headerName,
    fix: "it looks the header up in one spelling: compare names without regard to case",
    run: (probe) => probe.post(probe.body(), { header: probe.signatureHeader.toUpperCase() }),
  },
];
