import { type CheckCase, casesOf } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { pretty, reordered, withBadByte } from "./event-bodies.ts";
import { REFUSED } from "./forgeries.ts";

const BYTES_FIX =
  "it does not verify the received bytes: read the body as bytes before any parser, and verify those";

const TAMPERED = { ...REFUSED, why: WHY.rawBody, about: "bytes" } as const;

/**
 * Changes that a relay, a proxy or an attacker may make to a signed body, some of them only until
 * it is decoded.
 */
export const TAMPERING_CASES: readonly CheckCase[] = [
  ...casesOf<(body: Buffer) => Buffer>({ ...TAMPERED, fix: BYTES_FIX }, postTampered, [
    [
      "BODY-01",
      "one bit of the signed body flipped",
      flipBit,
      "it does not compare the signature with the body: compute HMAC-SHA256 over the bytes and compare",
    ],
    [
      "BODY-02",
      "a newline appended to the signed body",
      (body) => Buffer.concat([body, Buffer.from("\n")]),
    ],
    [
      "BODY-03",
      "a space put before the signed body",
      (body) => Buffer.concat([Buffer.from(" "), body]),
    ],
    ["BODY-04", "the keys of the signed body in another order", reordered],
    ["BODY-05", "pretty-printed; the signature is of the compact JSON", pretty],
    ["BODY-06", "the signed body cut off at half", (body) => body.subarray(0, body.byteLength / 2)],
    // Some answer 200 to whatever is empty, and take nothing.
    [
      "BODY-07",
      "an empty body with the signature of a full one",
      () => Buffer.alloc(0),
      { severity: "recommended" },
    ],
    [
      "BODY-35",
      "an invalid byte put into the signed body",
      (body) => {
        const at = body.indexOf('"address":"') + '"address":"'.length;
        return Buffer.concat([body.subarray(0, at), Buffer.from([0xff]), body.subarray(at)]);
      },
      'it drops invalid bytes before it verifies, as `decode("utf-8", "ignore")` does, so they can be put in: verify the bytes, then decode',
    ],
    [
      "BODY-36",
      "a byte order mark put before the signed body",
      (body) => Buffer.concat([Buffer.from("\uFEFF"), body]),
      "it drops a byte order mark before it verifies, as `TextDecoder` and `request.text()` do: verify the bytes, then decode",
    ],
  ]),
  {
    ...TAMPERED,
    id: "BODY-08",
    sent: "an invalid byte; the signature is of the text with U+FFFD in its place",
    fix: "it verifies the decoded text, but different bytes can decode to the same text: verify the bytes, then decode",
    run: (probe) => {
      const body = withBadByte(probe);
      return probe.post(body, {
        signature: probe.sign(Buffer.from(body.toString("utf8"), "utf8")),
      });
    },
  },
];

function postTampered(probe: Probe, change: (body: Buffer) => Buffer) {
  const signedFor = probe.body();
  return probe.post(change(signedFor), { signature: probe.sign(signedFor) });
}

function flipBit(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  // the timestamp's last digit, which stays one, so the event stays valid
  const at = copy.indexOf('Z","') - 1;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
