import { type CaseDefinition, casesOf } from "../check-case.ts";
import { pretty, reordered, withBadByte } from "./event-bodies.ts";
import { REFUSED } from "./forgeries.ts";

/** What changes a signed body on its way. */
type Change = (body: Buffer) => Buffer;

/** Who can change a body has one of the sender's, and cannot choose what it says. */
const TAMPERED = { ...REFUSED, why: "raw_body", about: "bytes", isForgery: false } as const;

/**
 * Changes that a relay, a proxy or an attacker may make to a signed body, some of them only until
 * it is decoded.
 */
export const TAMPERING_CASES = {
  ...tampered({ ...TAMPERED, cause: "body_not_compared", isForgery: true }, { "BODY-01": flipBit }),
  ...tampered(
    { ...TAMPERED, cause: "bytes_not_verified" },
    {
      "BODY-02": (body) => Buffer.concat([body, Buffer.from("\n")]),
      "BODY-03": (body) => Buffer.concat([Buffer.from(" "), body]),
      "BODY-04": reordered,
      "BODY-05": pretty,
    },
  ),
  // What is left of it means something else.
  ...tampered(
    { ...TAMPERED, cause: "bytes_not_verified", isForgery: true },
    { "BODY-06": (body) => body.subarray(0, body.byteLength / 2) },
  ),
  // Some answer 200 to whatever is empty, and take nothing.
  ...tampered(
    { ...TAMPERED, cause: "bytes_not_verified", severity: "recommended" },
    { "BODY-07": () => Buffer.alloc(0) },
  ),
  ...tampered(
    { ...TAMPERED, cause: "invalid_bytes_dropped" },
    {
      "BODY-35": (body) => {
        const at = body.indexOf('"address":"') + '"address":"'.length;
        return Buffer.concat([body.subarray(0, at), Buffer.from([0xff]), body.subarray(at)]);
      },
    },
  ),
  ...tampered(
    { ...TAMPERED, cause: "byte_order_mark_dropped" },
    { "BODY-36": (body) => Buffer.concat([Buffer.from("\uFEFF"), body]) },
  ),
  "BODY-08": {
    ...TAMPERED,
    cause: "decoded_text_verified",
    send: (probe) => {
      const body = withBadByte(probe);
      return probe.post(body, {
        signature: probe.sign(Buffer.from(body.toString("utf8"), "utf8")),
      });
    },
  },
} satisfies Readonly<Record<string, CaseDefinition>>;

function tampered<Id extends string>(
  common: Omit<CaseDefinition, "send">,
  rows: Readonly<Record<Id, Change>>,
) {
  return casesOf<Id, Change>(
    common,
    (probe, change) => {
      const signedFor = probe.body();
      return probe.post(change(signedFor), { signature: probe.sign(signedFor) });
    },
    rows,
  );
}

function flipBit(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  // the timestamp's last digit, which stays one, so the event stays valid
  const at = copy.indexOf('Z","') - 1;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
