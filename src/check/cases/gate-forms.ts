import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { CheckCase } from "../check-case.ts";
import type { PostOptions, Probe } from "../probe.ts";

/** A delivery, apart from its signature. */
interface GateRequest extends Omit<PostOptions, "signature"> {
  /** What distinguishes it from the other requests in the same form. */
  readonly name?: string;
  /** Default: the event as JSON. */
  readonly body?: Buffer;
}

/**
 * A form of a request that a stack may pass to the handler without running the check of the
 * signature.
 */
export interface GateForm {
  readonly id: CheckCase["id"];
  readonly as: string;
  readonly requests: (event: Buffer, probe: Probe) => readonly GateRequest[];
  readonly fix: string;
  /**
   * Sent by another method or to another path, which may be answered 200 without being a receiver,
   * or with a body that means nothing there.
   */
  readonly elsewhere?: boolean | "query";
  /** Something else may well answer it with 2xx, so that only the effect shows a forgery. */
  readonly needsObserver?: boolean;
}

const TYPE_FIX =
  "it checks the signature only for some content types: read the raw bytes of " +
  "every request and verify them before any parser (in Express `express.raw({ type: () => true })`, not `express.json({ verify })`)";
const ROUTE_FIX =
  "it checks the signature only for some methods or spellings of the path: verify in " +
  "the handler itself, not where method and path are compared, and use no method override";
const FRAMING_FIX =
  "it checks the signature only for some forms or sizes of bodies: read the raw bytes of " +
  "every request, however they are encoded, and verify them before anything else";

const TRUST_FIX =
  "it does not verify what seems to come from its own network or from someone signed in, which anyone can claim in a " +
  "header: verify every delivery";
const QUERY_FIX =
  "it takes an event's fields from the URL, which no signature covers: read them from the verified body alone";

/** Headers that programs take for proof of who sends. */
const TRUSTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "X-Forwarded-For": {
    "x-forwarded-for": "127.0.0.1",
    forwarded: "for=127.0.0.1;host=localhost;proto=https",
  },
  "X-Real-IP": {
    "x-real-ip": "127.0.0.1",
    "true-client-ip": "127.0.0.1",
    "cf-connecting-ip": "127.0.0.1",
  },
  Host: { host: "localhost", "x-forwarded-host": "localhost", origin: "http://localhost" },
  Authorization: { authorization: "Bearer x" },
  Cookie: { cookie: "session=x" },
  "X-Internal": {
    "x-internal": "true",
    "x-test": "true",
    "x-debug": "true",
    "x-skip-verification": "true",
  },
};

const FORM_TYPE = "application/x-www-form-urlencoded";
const BOUNDARY = "hookporter-check";

/** The forms in which forged deliveries are sent. */
export const GATE_FORMS: readonly GateForm[] = [
  typed("GATE-01", "text/plain", ["text/plain"]),
  typed("GATE-04", `JSON with the type ${FORM_TYPE}`, [FORM_TYPE]),
  typed("GATE-07", "a form-encoded envelope", [FORM_TYPE], (event) =>
    formEncoded(fields(JSON.parse(String(event)))),
  ),
  typed("GATE-10", "JSON without a Content-Type", [null]),
  typed("GATE-13", "application/vnd.api+json", ["application/vnd.api+json"]),
  typed("GATE-16", "application/merge-patch+json", ["application/merge-patch+json"]),
  byMethod("GATE-19", "PUT"),
  {
    id: "GATE-22",
    as: "X-HTTP-Method-Override: PUT",
    fix: ROUTE_FIX,
    requests: () => [{ headers: { "x-http-method-override": "PUT" } }],
  },
  atPath("GATE-25", "the path with or without a closing slash", withOtherSlash),
  atPath("GATE-28", "the path in capitals", (path) => path.toUpperCase()),
  byMethod("GATE-31", "HEAD", "observed"),
  byMethod("GATE-32", "OPTIONS", "observed"),
  typed("GATE-33", "the type in capitals, or with a charset", [
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    "application/json; charset=utf-16",
    "application/json; charset=iso-8859-1",
    "application/json; charset=none",
  ]),
  typed("GATE-36", "a form with JSON in its field `payload`", [FORM_TYPE], (event) =>
    formEncoded([["payload", String(event)]]),
  ),
  typed(
    "GATE-39",
    "multipart/form-data with the envelope, and as JSON in `payload`",
    [`multipart/form-data; boundary=${BOUNDARY}`],
    (event) => multipart([...fields(JSON.parse(String(event))), ["payload", String(event)]]),
  ),
  {
    id: "GATE-42",
    as: "Content-Encoding gzip, deflate, br or identity",
    fix: FRAMING_FIX,
    requests: (event) => {
      const encoded = {
        gzip: gzipSync,
        deflate: deflateSync,
        br: brotliCompressSync,
        identity: Buffer.from,
      };
      return Object.entries(encoded).map(([name, encode]) => ({
        name,
        body: encode(event),
        headers: { "content-encoding": name },
      }));
    },
  },
  {
    id: "GATE-45",
    as: "in chunks, without a length, and with a body of 9 and of 200 KiB",
    fix: FRAMING_FIX,
    requests: (_, probe) => [
      { name: "in chunks", chunked: true },
      ...[9, 200].map((size) => ({
        name: `${size} KiB`,
        body: probe.bodyWith({ address: "x".repeat(size * 1024) }),
      })),
    ],
  },
  {
    ...atPath("GATE-48", "a query added to the URL", (path) => path),
    requests: (_, { url, target }) => [
      { target: `${target}${url.search === "" ? "?" : "&"}source=check` },
    ],
  },
  atPath("GATE-51", "a letter of the path percent-encoded", (path) =>
    path.replace(/[A-Za-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ),
  atPath("GATE-54", "the path with // or /./", (path) => [`/${path}`, `/.${path}`]),
  {
    ...atPath(
      "GATE-57",
      "a longer path, observed",
      (path) => `${path.replace(/\/$/, "")}/no-such-part`,
    ),
    elsewhere: false,
    needsObserver: true,
  },
  typed("GATE-58", "application/octet-stream, text/json or an empty type", [
    "application/octet-stream",
    "text/json",
    "",
  ]),
  {
    id: "GATE-61",
    as: "with headers of a proxy, or of someone who is signed in",
    fix: TRUST_FIX,
    requests: () => Object.entries(TRUSTED).map(([name, headers]) => ({ name, headers })),
  },
  atPath("GATE-62", "the path with ;x, .json or /../", (path) => {
    const bare = path.replace(/\/$/, "");
    return [`${bare};x`, `${bare}.json`, `${bare}/x/..`];
  }),
  byMethod("GATE-63", "PATCH"),
  {
    id: "GATE-64",
    as: "with its fields in the query, and no body, an empty object or the event",
    fix: QUERY_FIX,
    elsewhere: "query",
    requests: (event, { url, target }) => {
      const query = formEncoded(fields(JSON.parse(String(event))));
      const all = `${target}${url.search === "" ? "?" : "&"}${query}`;
      const bodies = { "no body": Buffer.alloc(0), "{}": Buffer.from("{}"), "the event": event };
      return Object.entries(bodies).map(([name, body]) => ({ name, body, target: all }));
    },
  },
];

/** The event, or what is made of it, with each of some Content-Types. */
function typed(
  id: GateForm["id"],
  as: string,
  types: readonly (string | null)[],
  bodyOf: (event: Buffer) => Buffer = (event) => event,
): GateForm {
  const requests = (event: Buffer) =>
    types.map((type) => ({
      name: type || "no type",
      body: bodyOf(event),
      headers: { "content-type": type },
    }));
  return { id, as, fix: TYPE_FIX, requests };
}

/** By another method. Where that may well be answered with 2xx, only the effect shows a forgery. */
function byMethod(id: GateForm["id"], method: string, observed?: "observed"): GateForm {
  return {
    id,
    fix: ROUTE_FIX,
    requests: () => [{ method }],
    ...(observed === undefined
      ? { as: `by ${method}`, elsewhere: true }
      : { as: `by ${method}, observed`, needsObserver: true }),
  };
}

function atPath(
  id: GateForm["id"],
  as: string,
  change: (path: string) => string | readonly string[],
) {
  const requests = (_: Buffer, { url }: Probe) => {
    const paths = [change(url.pathname)].flat();
    return paths.map((path) => ({
      ...(paths.length > 1 && { name: path }),
      target: path + url.search,
    }));
  };
  return { id, as, requests, fix: ROUTE_FIX, elsewhere: true };
}

/** The path with a closing slash if it has none, else without it. */
function withOtherSlash(path: string): string {
  if (path === "/") return path;
  return path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
}

/**
 * The fields of an envelope as a form has them: `data[id]`, as the common parsers of nested forms
 * read it.
 */
function fields(value: object, within?: string): [string, string][] {
  return Object.entries(value).flatMap(([key, member]): [string, string][] => {
    const name = within === undefined ? key : `${within}[${key}]`;
    return typeof member === "object" && member !== null
      ? fields(member, name)
      : [[name, String(member)]];
  });
}

function formEncoded(pairs: [string, string][]): Buffer {
  return Buffer.from(new URLSearchParams(pairs).toString(), "utf8");
}

function multipart(pairs: readonly [string, string][]): Buffer {
  const parts = pairs.map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join("")}--${BOUNDARY}--\r\n`, "utf8");
}
