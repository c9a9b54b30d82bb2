import type { CheckCase, Severity } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { REFUSED } from "./forgeries.ts";

const BYTES_FIX =
  "it does not verify the received bytes: read the body as bytes before any parser, and verify those";

type TamperingRow = readonly [
  id: CheckCase["id"],
  sent: string,
  make: (body: Buffer, probe: Probe) => { body: Buffer; signedFor: Buffer },
  fix?: string,
  severity?: Severity,
];

/** Bodies that differ from the ones that were signed, some of them only until they are decoded. */
const TAMPERED: readonly TamperingRow[] = [
  [
    "BODY-01",
    "one bit of the signed body flipped",
    (body) => changed(body, flipBit(body)),
    "it does not compare the signature with the body: compute HMAC-SHA256 over the bytes and compare",
  ],
  [
    "BODY-02",
    "a newline appended to the signed body",
    (body) => changed(body, Buffer.concat([body, Buffer.from("\n")])),
  ],
  [
    "BODY-03",
    "a space put before the signed body",
    (body) => changed(body, Buffer.concat([Buffer.from(" "), body])),
  ],
  ["BODY-04", "the keys of the signed body in another order", (body) => changed(body, reordered(body))],
  ["BODY-05", "pretty-printed; the signature is of the compact JSON", (body) => changed(body, pretty(body))],
  [
    "BODY-06",
    "the signed body cut off at half",
    (body) => changed(body, body.subarray(0, body.byteLength / 2)),
  ],
  // Some answer 200 to whatever is empty, and take nothing.
  [
    "BODY-07",
    "an empty body with the signature of a full one",
    (body) => changed(body, Buffer.alloc(0)),
    BYTES_FIX,
    "recommended",
  ],
  [
    "BODY-08",
    "an invalid byte; the signature is of the text with U+FFFD in its place",
    (_, probe) => {
      const body = withBadByte(probe);
      return { body, signedFor: Buffer.from(body.toString("utf8"), "utf8") };
    },
    "it verifies the decoded text, but different bytes can decode to the same text: verify the bytes, then decode",
  ],
  [
    "BODY-35",
    "an invalid byte put into the signed body",
    (body) => {
      const at = body.indexOf('"address":"') + '"address":"'.length;
      return changed(body, Buffer.concat([body.subarray(0, at), Buffer.from([0xff]), body.subarray(at)]));
    },
    'it drops invalid bytes before it verifies, as `decode("utf-8", "ignore")` does, so they can be put in: verify the bytes, then decode',
  ],
  [
    "BODY-36",
    "a byte order mark put before the signed body",
    (body) => changed(body, Buffer.concat([Buffer.from("\uFEFF"), body])),
    "it drops a byte order mark before it verifies, as `TextDecoder` and `request.text()` do: verify the bytes, then decode",
  ],
];

/** A probe's event with a byte in its address that is not UTF-8. */
export function withBadByte(probe: Probe): Buffer {
  const [before = "", after = ""] = probe.bodyWith({ address: "@@" }).toString("utf8").split("@@");
  return Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
}

/** The same JSON, pretty-printed. */
export function pretty(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(JSON.parse(body.toString("utf8")), null, 2), "utf8");
}

/** The same JSON with its keys in reverse order at every depth. */
export function reordered(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(reverse(JSON.parse(body.toString("utf8")))), "utf8");
}

function reverse(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, one]) => [key, reverse(one)]),
  );
}

function flipBit(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const at = copy.indexOf('Z","') - 1; // the timestamp's last digit, which stays one, so the event stays valid
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

function changed(signedFor: Buffer, body: Buffer) {
  return { body, signedFor };
}

/** Changes that a relay, a proxy or an attacker may make to a signed body. */
export const TAMPERING_CASES: readonly CheckCase[] = TAMPERED.map(
  ([id, sent, make, fix = BYTES_FIX, severity = REFUSED.severity]) => ({
    ...{ ...REFUSED, id, sent, fix, severity, why: WHY.rawBody, about: "bytes" },
    run: (probe) => {
      const { body, signedFor } = make(probe.body(), probe);
      return probe.post(body, { signature: probe.sign(signedFor) });
    },
  }),
);
