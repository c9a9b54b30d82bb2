import { gzipSync } from "node:zlib";
import type { CheckCase } from "../check-case.ts";
import { WHY } from "../reasons.ts";

/** A body size in bytes that no event needs. */
const OVERSIZE = 16 * 1024 * 1024;

const TYPE_FIX =
  "it parses by Content-Type before it verifies: read the raw bytes, whatever the header says";

const ENDLESS_FIX =
  "it waits for the rest of a body for ever: allow several seconds for the whole body, then answer 408 or close";
const HANGUP_STOPS =
  "one unsigned sender that hangs up within its body stops the receiver: catch errors while reading (`try`/`catch`, `pipeline`)";
const LARGE_STOPS =
  "one unsigned sender of a large body stops the receiver: limit the size while you read, and catch errors (`try`/`catch`, `pipeline`)";
const LARGE_FIX = "it accepts a body of any size: limit it, for example to 1 MiB, and answer 413";
const CHUNKED_FIX =
  "its limit does not apply without a length: count the bytes as they arrive, and answer 413";

type TypeRow = readonly [
  id: CheckCase["id"],
  sent: string,
  type: string | null,
  hasUmlaut?: boolean,
];

const TYPES: readonly TypeRow[] = [
  ["HTTP-01", "Content-Type application/json; charset=UTF-8", "application/json; charset=UTF-8"],
  ["HTTP-02", "Content-Type text/plain", "text/plain"],
  [
    "HTTP-03",
    "Content-Type application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded",
  ],
  ["HTTP-04", "no Content-Type", null],
  [
    "HTTP-05",
    "Content-Type with charset=iso-8859-1, the body in UTF-8",
    "application/json; charset=iso-8859-1",
    true,
  ],
];

const ACCEPTED = {
  right: ["200"],
  severity: "required",
  why: WHY.http,
  about: "transfer",
} as const;

const LIMITED = { right: ["4xx", "closed"], severity: "recommended", why: WHY.limits } as const;
const POST_ONLY = { right: ["4xx", "501"], severity: "recommended", why: WHY.postOnly } as const;

/** Valid requests in all forms that HTTP allows, and requests that are not deliveries. */
export const REQUEST_CASES: readonly CheckCase[] = [
  ...TYPES.map(
    ([id, sent, type, hasUmlaut = false]): CheckCase => ({
      id,
      sent,
      right: ["200"],
      severity: "recommended",
      why: WHY.contentType,
      fix: TYPE_FIX,
      crash: TYPE_FIX,
      about: "content-type",
      run: (probe) => {
        const body = hasUmlaut ? probe.bodyWith({ address: "Zürich" }) : probe.body();
        return probe.post(body, { headers: { "content-type": type } });
      },
    }),
  ),
  {
    ...ACCEPTED,
    id: "HTTP-06",
    sent: "the body in chunks, without a length",
    severity: "recommended",
    why: WHY.framing,
    fix: "it requires a Content-Length: read the body to its end",
    run: (probe) => probe.post(probe.body(), { chunked: true }),
  },
  {
    ...ACCEPTED,
    id: "HTTP-07",
    sent: "Expect: 100-continue",
    fix: "it refuses a sender that waits for 100 Continue: answer 100, or just read the body",
    run: (probe) => probe.post(probe.body(), { headers: { expect: "100-continue" } }),
  },
  {
    ...ACCEPTED,
    id: "HTTP-08",
    sent: "a valid delivery on a connection that carried an invalid one",
    fix: "it mishandles a connection after refusing a delivery: read the rest of the body, or close the connection",
    run: (probe) =>
      probe.onOneConnection(async (agent) => {
        await probe.post(probe.body(), { agent, signature: null });
        const answer = await probe.post(probe.body(), { agent });
        // The receiver may close the connection after a refusal while we send; every sender would
        // retry then.
        return answer.type === "closed" ? probe.post(probe.body(), { agent }) : answer;
      }),
  },
  {
    ...ACCEPTED,
    id: "HTTP-09",
    sent: "the body in three pieces, with pauses between them",
    severity: "recommended",
    fix: "it does not wait for the whole body: read it to its end, and allow several seconds",
    run: (probe) => {
      const body = probe.body();
      const third = Math.ceil(body.byteLength / 3);
      const pieces = [
        body.subarray(0, third),
        body.subarray(third, 2 * third),
        body.subarray(2 * third),
      ];
      const parts = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [300, piece]));
      return probe.post(body, { parts });
    },
  },
  {
    ...LIMITED,
    id: "HTTP-10",
    sent: "half a body, then silence",
    fix: ENDLESS_FIX,
    silence: ENDLESS_FIX,
    stops: HANGUP_STOPS,
    run: (probe) => {
      const body = probe.body();
      return probe.post(body, { parts: [body.subarray(0, 100), 3_600_000, body.subarray(100)] });
    },
  },
  {
    ...LIMITED,
    id: "HTTP-11",
    sent: "a correctly signed body of 16 MiB",
    fix: LARGE_FIX,
    silence: LARGE_FIX,
    stops: LARGE_STOPS,
    isLarge: true,
    run: (probe) => probe.post(probe.bodyWith({ address: "x".repeat(OVERSIZE) })),
  },
  {
    ...LIMITED,
    id: "HTTP-12",
    sent: "16 MiB in chunks, without a length",
    fix: CHUNKED_FIX,
    silence: CHUNKED_FIX,
    stops: LARGE_STOPS,
    isLarge: true,
    run: (probe) =>
      probe.post(probe.bodyWith({ address: "x".repeat(OVERSIZE) }), { chunked: true }),
  },
  {
    ...POST_ONLY,
    id: "HTTP-13",
    sent: "GET, with the signature of an empty body",
    fix: "it confirms a GET: accept only POST, and answer 405",
    run: (probe) => {
      const empty = Buffer.alloc(0);
      return probe.post(empty, {
        method: "GET",
        headers: { "content-length": null, "content-type": null },
      });
    },
  },
  {
    ...POST_ONLY,
    id: "HTTP-14",
    sent: "a valid event by PUT",
    fix: "it confirms a PUT: accept only POST, and answer 405",
    run: (probe) => probe.post(probe.body(), { method: "PUT" }),
  },
  {
    id: "HTTP-15",
    sent: "a valid event to another path",
    right: ["4xx"],
    severity: "informational",
    why: WHY.otherPath,
    fix: "it accepts deliveries at any path: answer 404 at all others",
    run: (probe) => {
      const path = probe.url.pathname.replace(/\/$/, "");
      return probe.post(probe.body(), { target: `${path}-no-such-endpoint` });
    },
  },
  {
    id: "HTTP-16",
    sent: "a gzipped body, signed as JSON",
    right: ["4xx"],
    severity: "informational",
    why: WHY.encoding,
    fix: "it decompresses a body before verifying it: refuse Content-Encoding, or limit the decompressed size",
    run: (probe) => {
      const body = probe.body();
      const zipped = gzipSync(body);
      return probe.post(zipped, {
        signature: probe.sign(body),
        headers: { "content-encoding": "gzip" },
      });
    },
  },
];
