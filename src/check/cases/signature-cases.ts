import { createHash, createHmac, randomBytes } from "node:crypto";
import type { CheckCase, Severity } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { REFUSED, sendForged } from "./forgeries.ts";

/** What a value of the header is made from. */
interface SignedProbe {
  readonly probe: Probe;
  readonly body: Buffer;
  /** The 64 digits of the right signature. */
  readonly digest: string;
}

type SignatureRow = readonly [
  id: CheckCase["id"],
  sent: string,
  value: (given: SignedProbe) => string | readonly string[] | null,
];

const ZEROS = `sha256=${"0".repeat(64)}`;
const hmac = (
  algorithm: string,
  { probe, body }: SignedProbe,
  encoding: "hex" | "base64" = "hex",
) => createHmac(algorithm, probe.secret).update(body).digest(encoding);

/**
 * Values of the signature header that must be refused although the body is valid, by what is wrong
 * if they are not.
 */
const VALUES: readonly {
  readonly fix: string;
  readonly about?: "form";
  readonly weight?: readonly [Severity, string];
  readonly rows: readonly SignatureRow[];
}[] = [
  {
    fix: "it accepts unsigned deliveries: refuse deliveries without the header",
    rows: [["SIG-01", "no signature header", () => null]],
  },
  {
    fix: "it accepts another form of the value: match all of it against ^sha256=[0-9a-f]{64}$ before you decode it",
    about: "form",
    rows: [
      ["SIG-03", "the bare hex digest, without sha256=", ({ digest }) => digest],
      ["SIG-04", "the digest in upper-case hex", ({ digest }) => `sha256=${digest.toUpperCase()}`],
      ["SIG-05", "the prefix SHA256= in upper case", ({ digest }) => `SHA256=${digest}`],
      ["SIG-09", "the prefix twice, sha256=sha256=", ({ digest }) => `sha256=sha256=${digest}`],
      ["SIG-12", "65 digits, one too many", ({ digest }) => `sha256=${digest}0`],
      ["SIG-13", "junk after the correct digest", ({ digest }) => `sha256=${digest};v=1`],
      ["SIG-14", "the digest in base64", (given) => `sha256=${hmac("sha256", given, "base64")}`],
    ],
  },
  {
    fix: "it lets the sender choose the algorithm: accept only HMAC-SHA256, with 64 digits",
    rows: [
      ["SIG-06", "sha1= and an HMAC-SHA1 digest", (given) => `sha1=${hmac("sha1", given)}`],
      ["SIG-07", "sha512= and an HMAC-SHA512 digest", (given) => `sha512=${hmac("sha512", given)}`],
      [
        "SIG-08",
        "sha256= and an HMAC-SHA512 digest (128 digits)",
        (given) => `sha256=${hmac("sha512", given)}`,
      ],
    ],
  },
  {
    fix: "it compares only as many digits as were sent, so a short guess is accepted: compare the lengths first",
    rows: [
      ["SIG-10", "only the first 32 digits", ({ digest }) => `sha256=${digest.slice(0, 32)}`],
      [
        "SIG-11",
        "63 digits, the last one missing",
        ({ digest }) => `sha256=${digest.slice(0, -1)}`,
      ],
    ],
  },
  {
    fix: "it accepts a value that is not a digest: match the value against ^sha256=[0-9a-f]{64}$ before you decode it",
    rows: [
      ["SIG-15", "64 characters that are not hex digits", () => `sha256=${"z".repeat(64)}`],
      ["SIG-16", "64 non-ASCII characters", () => `sha256=${"\u00e9".repeat(64)}`],
    ],
  },
  {
    fix: "it does not compare the digest: compute HMAC-SHA256 over the body with the subscription's secret, and compare",
    rows: [
      ["SIG-17", "64 zeros", () => ZEROS],
      [
        "SIG-18",
        "a signature made with another secret",
        ({ probe, body }) => probe.sign(body, randomBytes(32).toString("hex")),
      ],
      ["SIG-21", "the signature of another body", ({ probe }) => probe.sign(Buffer.from("{}"))],
    ],
  },
  {
    fix: "it runs with an empty secret, so anyone can sign: refuse to start without one",
    rows: [
      [
        "SIG-19",
        "a signature made with an empty secret",
        ({ body }) => `sha256=${createHmac("sha256", "").update(body).digest("hex")}`,
      ],
    ],
  },
  {
    fix: "it compares a hash that anyone can compute: use HMAC-SHA256 with the secret",
    rows: [
      [
        "SIG-20",
        "a plain SHA-256 of the body, without the secret",
        ({ body }) => `sha256=${createHash("sha256").update(body).digest("hex")}`,
      ],
    ],
  },
  {
    fix: "it uses one of two values: refuse a delivery that has the header twice",
    about: "form",
    weight: ["recommended", WHY.sentTwice],
    rows: [
      [
        "SIG-22",
        "the header twice: wrong, then right",
        ({ digest }) => [ZEROS, `sha256=${digest}`],
      ],
      [
        "SIG-23",
        "the header twice: right, then wrong",
        ({ digest }) => [`sha256=${digest}`, ZEROS],
      ],
    ],
  },
];

const FORGED = {
  ...REFUSED,
  crash:
    "its code fails on this value instead of refusing it: check the format and the length before you compare " +
    "(a constant-time comparison throws on unequal lengths or odd characters)",
} as const satisfies Partial<CheckCase>;

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

/**
 * The cases that recommend 401: one for a missing and one for a wrong signature, so that the advice
 * appears only twice.
 */
const BEST_401 = new Set(["SIG-01", "SIG-17"]);

/** All wrong forms of the header's value, signatures in wrong places, and one correct form. */
export const SIGNATURE_CASES: readonly CheckCase[] = [
  ...VALUES.flatMap(
    ({ fix, about, weight: [severity, why] = [FORGED.severity, FORGED.why], rows }) =>
      rows.map(
        ([id, sent, value]): CheckCase => ({
          ...FORGED,
          id,
          sent,
          fix,
          severity,
          why,
          ...(about !== undefined && { about }),
          ...(BEST_401.has(id) && { best: ["401"] }),
          run: (probe) => {
            const body = probe.body();
            return probe.post(body, {
              signature: value({ probe, body, digest: probe.digest(body) }),
            });
          },
        }),
      ),
  ),
  {
    ...FORGED,
    id: "SIG-02",
    sent: "an empty signature header, or a word in it",
    fix: "it accepts a value without a digest: refuse it like a missing one",
    run: (probe) => {
      const body = probe.body();
      return sendForged(
        NO_DIGESTS.map((signature) => [
          signature || "empty",
          () => probe.post(body, { signature }),
        ]),
      );
    },
  },
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
      return probe.post(probe.body({ signature, [probe.signatureHeader]: signature }), {
        signature: null,
      });
    },
  },
  {
    ...FORGED,
    id: "SIG-26",
    sent: "the signature in a trailer, after the body",
    best: REFUSED.right, // a server need not take trailers at all
    severity: "recommended",
    why: WHY.trailer, // some servers take them for headers, and only the sender can sign
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
    about: "header",
    fix: "it looks up the header case-sensitively: ignore the case of header names",
    run: (probe) => probe.post(probe.body(), { header: probe.signatureHeader.toUpperCase() }),
  },
];
