import { createHash, createHmac, randomBytes } from "node:crypto";
import type { CheckCase, Severity } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { REFUSED } from "./forgeries.ts";

type SignatureRow = readonly [
  id: CheckCase["id"],
  sent: string,
  value: (probe: Probe, body: Buffer) => string | readonly string[] | null,
  fix: string,
  about?: "form",
  weight?: readonly [Severity, string],
];

/** Values of the signature header that must be refused although the body is valid. */
const VALUES: readonly SignatureRow[] = [
  [
    "SIG-01",
    "no signature header",
    () => null,
    "it accepts unsigned deliveries: refuse deliveries without the header",
  ],
  [
    "SIG-02",
    "an empty signature header",
    () => "",
    "it accepts an empty signature: refuse it like a missing one",
  ],
  [
    "SIG-03",
    "the bare hex digest, without sha256=",
    (probe, body) => probe.digest(body),
    "it does not require the prefix: compare the whole header value with `sha256=` + digest",
    "form",
  ],
  [
    "SIG-04",
    "the digest in upper-case hex",
    (probe, body) => `sha256=${probe.digest(body).toUpperCase()}`,
    "it accepts upper-case digits: match the value against ^sha256=[0-9a-f]{64}$ before decoding it",
    "form",
  ],
  [
    "SIG-05",
    "the prefix SHA256= in upper case",
    (probe, body) => `SHA256=${probe.digest(body)}`,
    "it accepts another prefix: compare the whole header value exactly",
    "form",
  ],
  [
    "SIG-06",
    "sha1= and an HMAC-SHA1 digest",
    (probe, body) => `sha1=${createHmac("sha1", probe.secret).update(body).digest("hex")}`,
    "it lets the sender choose a weaker algorithm: accept only HMAC-SHA256",
  ],
  [
    "SIG-07",
    "sha512= and an HMAC-SHA512 digest",
    (probe, body) => `sha512=${createHmac("sha512", probe.secret).update(body).digest("hex")}`,
    "it lets the sender choose the algorithm: accept only HMAC-SHA256",
  ],
  [
    "SIG-08",
    "sha256= and an HMAC-SHA512 digest (128 digits)",
    (probe, body) => `sha256=${createHmac("sha512", probe.secret).update(body).digest("hex")}`,
    "it accepts a digest of another length: require exactly 64 hex digits",
  ],
  [
    "SIG-09",
    "the prefix twice, sha256=sha256=",
    (probe, body) => `sha256=${probe.sign(body)}`,
    "it strips the prefix more than once, or checks only the end: compare the whole header value",
    "form",
  ],
  [
    "SIG-10",
    "only the first 32 digits",
    (probe, body) => probe.sign(body).slice(0, -32),
    "it compares only as many digits as were sent, so a short guess is accepted: compare lengths first",
  ],
  [
    "SIG-11",
    "63 digits, the last one missing",
    (probe, body) => probe.sign(body).slice(0, -1),
    "it compares only as many digits as were sent: require exactly 64 hex digits",
  ],
  [
    "SIG-12",
    "65 digits, one too many",
    (probe, body) => `${probe.sign(body)}0`,
    "it ignores text after the digest: match the whole value, since decoding hex stops at the first bad digit",
    "form",
  ],
  [
    "SIG-13",
    "junk after the correct digest",
    (probe, body) => `${probe.sign(body)};v=1`,
    "it ignores text after the digest: match the whole value, since decoding hex stops at the first bad digit",
    "form",
  ],
  [
    "SIG-14",
    "the digest in base64",
    (probe, body) => `sha256=${createHmac("sha256", probe.secret).update(body).digest("base64")}`,
    "it accepts another encoding of the digest: accept only lowercase hex",
    "form",
  ],
  [
    "SIG-15",
    "64 characters that are not hex digits",
    () => `sha256=${"z".repeat(64)}`,
    "it accepts a value that is not a digest: match the value against ^sha256=[0-9a-f]{64}$ before decoding it",
  ],
  [
    "SIG-16",
    "64 non-ASCII characters",
    () => `sha256=${"\u00e9".repeat(64)}`,
    "it accepts a value that is not a digest: match the value against ^sha256=[0-9a-f]{64}$ before decoding it",
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
    "it accepts any secret: compute HMAC-SHA256 with the subscription's secret and compare",
  ],
  [
    "SIG-19",
    "a signature made with an empty secret",
    (_, body) => `sha256=${createHmac("sha256", "").update(body).digest("hex")}`,
    "it runs with an empty secret, so anyone can sign: refuse to start without one",
  ],
  [
    "SIG-20",
    "a plain SHA-256 of the body, without the secret",
    (_, body) => `sha256=${createHash("sha256").update(body).digest("hex")}`,
    "it compares a hash that anyone can compute: use HMAC-SHA256 with the secret",
  ],
  [
    "SIG-21",
    "the signature of another body",
    (probe) => probe.sign(Buffer.from("{}")),
    "it does not bind the signature to the body: compute it over the received bytes",
  ],
  [
    "SIG-22",
    "the header twice: wrong, then right",
    (probe, body) => [`sha256=${"0".repeat(64)}`, probe.sign(body)],
    "it uses one of two values: refuse a delivery that has the header twice",
    "form",
    ["recommended", WHY.sentTwice],
  ],
  [
    "SIG-23",
    "the header twice: right, then wrong",
    (probe, body) => [probe.sign(body), `sha256=${"0".repeat(64)}`],
    "it uses one of two values: refuse a delivery that has the header twice",
    "form",
    ["recommended", WHY.sentTwice],
  ],
];

const FORGED = {
  ...REFUSED,
  crash:
    "its code fails on this value instead of refusing it: check the format and the length before you compare " +
    "(a constant-time comparison throws on unequal lengths or odd characters)",
} as const satisfies Partial<CheckCase>;

/** The cases that recommend 401: one for a missing and one for a wrong signature, so that the advice appears only twice. */
const BEST_401 = new Set(["SIG-01", "SIG-17"]);

/** All wrong forms of the header's value, signatures in wrong places, and one correct form. */
export const SIGNATURE_CASES: readonly CheckCase[] = [
  ...VALUES.map(
    ([id, sent, value, fix, about, [severity, why] = [FORGED.severity, FORGED.why]]): CheckCase => ({
      ...{ ...FORGED, id, sent, fix, severity, why },
      ...(about !== undefined && { about }),
      ...(BEST_401.has(id) && { best: ["401"] }),
      run: (probe) => {
        const body = probe.body();
        return probe.post(body, { signature: value(probe, body) });
      },
    }),
  ),
  {
    ...FORGED,
    id: "SIG-24",
    sent: "the signature in the query string, no header",
    fix: "it reads the signature from the URL, which ends up in logs, or checks none if the URL has a query: read it only from the header, for every URL",
    run: (probe) => {
      const body = probe.body();
      const { target, signatureHeader } = probe;
      const query = `${target.includes("?") ? "&" : "?"}${signatureHeader}=${encodeURIComponent(probe.sign(body))}`;
      return probe.post(body, { signature: null, target: target + query });
    },
  },
  {
    ...FORGED,
    id: "SIG-25",
    sent: "a signature in the body, no header",
    fix: "it reads the signature from the body: read it only from the header",
    run: (probe) => {
      const signature = probe.sign(probe.body());
      return probe.post(probe.body({ signature, [probe.signatureHeader]: signature }), { signature: null });
    },
  },
  {
    ...FORGED,
    id: "SIG-26",
    sent: "the signature in a trailer, after the body",
    best: REFUSED.right, // a server need not take trailers at all
    ...{ severity: "recommended", why: WHY.trailer }, // some servers take them for headers, and only the sender can sign
    fix: "it treats trailers as headers: read the signature only from the header",
    run: (probe) => {
      const body = probe.body();
      const trailers = { [probe.signatureHeader]: probe.sign(body) };
      const headers = { trailer: probe.signatureHeader };
      return probe.post(body, { signature: null, chunked: true, trailers, headers });
    },
  },
  {
    ...FORGED,
    id: "SIG-27",
    sent: "the signature under another header's name",
    fix: "it reads the signature from another header: read only the right one",
    run: (probe) => probe.post(probe.body(), { header: "x-check-signature" }),
  },
  {
    id: "SIG-28",
    sent: "the header's name in capitals",
    right: ["200"],
    severity: "required",
    why: WHY.headerName,
    fix: "it looks up the header case-sensitively: ignore the case of header names",
    about: "header",
    run: (probe) => probe.post(probe.body(), { header: probe.signatureHeader.toUpperCase() }),
  },
];
