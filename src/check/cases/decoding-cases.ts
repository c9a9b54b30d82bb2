import type { CheckCase } from "../check-case.ts";
import type { Probe } from "../probe.ts";
import { WHY } from "../reasons.ts";
import { REFUSED } from "./forgeries.ts";

type DecodingRow = readonly [
  id: CheckCase["id"],
  sent: string,
  change: (body: Buffer) => Buffer,
  fix: string,
];

/** Changes to a signed body that are lost if it is decoded before it is verified. */
const CHANGES: readonly DecodingRow[] = [
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
    (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
    "it drops a byte order mark before it verifies, as `TextDecoder` and `request.text()` do: verify the bytes, then decode",
  ],
];

/** Bodies that decode to the text that was signed, but have other bytes. */
export const DECODING_CASES: readonly CheckCase[] = CHANGES.map(([id, sent, change, fix]) => ({
  ...{ ...REFUSED, id, sent, fix, why: WHY.rawBody, about: "bytes" },
  run: (probe: Probe) => {
    const body = probe.body();
    return probe.post(change(body), { signature: probe.sign(body) });
  },
}));
