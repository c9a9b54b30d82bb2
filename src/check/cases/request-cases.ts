import { gzipSync } from "node:zlib";
import { type CaseDefinition, casesOf } from "../check-case.ts";
import type { Probe } from "../probe.ts";

/** A body size in bytes that no event needs. */
const OVERSIZE = 16 * 1024 * 1024;

const ACCEPTED = {
  expects: { answers: ["200"] },
  severity: "required",
  why: "http",
  about: "transfer",
} as const;

const LIMITED = {
  expects: { answers: ["4xx", "closed"] },
  severity: "recommended",
  why: "limits",
} as const;

const POST_ONLY = {
  expects: { answers: ["4xx", "501"] },
  severity: "recommended",
  why: "post_only",
} as const;

const TYPES = {
  "HTTP-01": "application/json; charset=UTF-8",
  "HTTP-02": "text/plain",
  "HTTP-03": "application/x-www-form-urlencoded",
  "HTTP-04": null,
} as const;

const TYPED = {
  expects: { answers: ["200"] },
  severity: "recommended",
  why: "content_type",
  cause: "parsed_by_type_first",
  crash: "parsed_by_type_first",
  about: "content-type",
} as const;

/** Valid requests in all forms that HTTP allows, and requests that are not deliveries. */
export const REQUEST_CASES = {
  ...casesOf<keyof typeof TYPES, string | null>(TYPED, postTyped, TYPES),
  "HTTP-05": {
    ...TYPED,
    send: (probe) => {
      const type = "application/json; charset=iso-8859-1";
      return postTyped(probe, type, probe.bodyWith({ address: "Zürich" }));
    },
  },
  "HTTP-06": {
    ...ACCEPTED,
    severity: "recommended",
    why: "framing",
    cause: "length_required",
    send: (probe) => probe.post(probe.body(), { chunked: true }),
  },
  "HTTP-07": {
    ...ACCEPTED,
    cause: "continue_not_sent",
    send: (probe) => probe.post(probe.body(), { headers: { expect: "100-continue" } }),
  },
  "HTTP-08": {
    ...ACCEPTED,
    cause: "connection_mishandled",
    send: (probe) =>
      probe.onOneConnection(async (agent) => {
        await probe.post(probe.body(), { agent, signature: null });
        const answer = await probe.post(probe.body(), { agent });
        // The receiver may close the connection after a refusal while we send; every sender would
        // retry then.
        return answer.type === "closed" ? probe.post(probe.body(), { agent }) : answer;
      }),
  },
  "HTTP-09": {
    ...ACCEPTED,
    severity: "recommended",
    cause: "body_not_awaited",
    send: (probe) => {
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
  "HTTP-10": {
    ...LIMITED,
    cause: "body_awaited_for_ever",
    silence: "body_awaited_for_ever",
    stops: "hangup",
    isEndless: true,
    send: (probe) => {
      const body = probe.body();
      return probe.post(body, { parts: [body.subarray(0, 100), 3_600_000, body.subarray(100)] });
    },
  },
  "HTTP-11": {
    ...LIMITED,
    cause: "size_unlimited",
    silence: "size_unlimited",
    stops: "large_body",
    isLarge: true,
    send: (probe) => probe.post(probe.bodyWith({ address: "x".repeat(OVERSIZE) })),
  },
  "HTTP-12": {
    ...LIMITED,
    cause: "size_of_chunks_unlimited",
    silence: "size_of_chunks_unlimited",
    stops: "large_body",
    isLarge: true,
    send: (probe) =>
      probe.post(probe.bodyWith({ address: "x".repeat(OVERSIZE) }), { chunked: true }),
  },
  "HTTP-13": {
    ...POST_ONLY,
    cause: "get_confirmed",
    send: (probe) => {
      const empty = Buffer.alloc(0);
      return probe.post(empty, {
        method: "GET",
        headers: { "content-length": null, "content-type": null },
      });
    },
  },
  "HTTP-14": {
    ...POST_ONLY,
    cause: "put_confirmed",
    send: (probe) => probe.post(probe.body(), { method: "PUT" }),
  },
  "HTTP-15": {
    expects: { answers: ["4xx"] },
    severity: "informational",
    why: "other_path",
    cause: "any_path_accepted",
    send: (probe) => {
      const path = probe.url.pathname.replace(/\/$/, "");
      return probe.post(probe.body(), { target: `${path}-no-such-endpoint` });
    },
  },
  "HTTP-16": {
    expects: { answers: ["4xx"] },
    severity: "informational",
    why: "encoding",
    cause: "decompressed_before_verified",
    send: (probe) => {
      const body = probe.body();
      const zipped = gzipSync(body);
      return probe.post(zipped, {
        signature: probe.sign(body),
        headers: { "content-encoding": "gzip" },
      });
    },
  },
} satisfies Readonly<Record<string, CaseDefinition>>;

function postTyped(probe: Probe, type: string | null, body = probe.body()) {
  return probe.post(body, { headers: { "content-type": type } });
}
