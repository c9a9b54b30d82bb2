import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { CauseCode } from "../codes.ts";
import type { PostOptions } from "../delivery.ts";
import type { Probe } from "../probe.ts";

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
  readonly requests: (event: Buffer, probe: Probe) => readonly GateRequest[];
  readonly cause: CauseCode;
  /**
   * Sent by another method or to another path, which may be answered 200 without being a receiver,
   * or with a body that means nothing there.
   */
  readonly elsewhere?: boolean | "query";
  /** Something else may well answer it with 2xx, so that only the effect shows a forgery. */
  readonly needsObserver?: boolean;
}

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
export const GATE_FORMS = {
  "GATE-01": typed(["text/plain"]),
  "GATE-04": typed([FORM_TYPE]),
  "GATE-07": typed([FORM_TYPE], (event) => formEncoded(fields(JSON.parse(String(event))))),
  "GATE-10": typed([null]),
  "GATE-13": typed(["application/vnd.api+json"]),
  "GATE-16": typed(["application/merge-patch+json"]),
  "GATE-19": byMethod("PUT"),
  "GATE-22": {
    cause: "some_routes_verified",
    requests: () => [{ headers: { "x-http-method-override": "PUT" } }],
  },
  "GATE-25": atPath(withOtherSlash),
  "GATE-28": atPath((path) => path.toUpperCase()),
  "GATE-31": observedMethod("HEAD"),
  "GATE-32": observedMethod("OPTIONS"),
  "GATE-33": typed([
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    "application/json; charset=utf-16",
    "application/json; charset=iso-8859-1",
    "application/json; charset=none",
  ]),
  "GATE-36": typed([FORM_TYPE], (event) => formEncoded([["payload", String(event)]])),
  "GATE-39": typed([`multipart/form-data; boundary=${BOUNDARY}`], (event) =>
    multipart([...fields(JSON.parse(String(event))), ["payload", String(event)]]),
  ),
  "GATE-42": {
    cause: "some_framings_verified",
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
  "GATE-45": {
    cause: "some_framings_verified",
    requests: (_, probe) => [
      { name: "in chunks", chunked: true },
      ...[9, 200].map((size) => ({
        name: `${size} KiB`,
        body: probe.bodyWith({ address: "x".repeat(size * 1024) }),
      })),
    ],
  },
  "GATE-48": {
    ...atPath((path) => path),
    requests: (_, { url, target }) => [
      { target: `${target}${url.search === "" ? "?" : "&"}source=check` },
    ],
  },
  "GATE-51": atPath((path) =>
    path.replace(/[A-Za-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ),
  "GATE-54": atPath((path) => [`/${path}`, `/.${path}`]),
  "GATE-57": {
    ...atPath((path) => `${path.replace(/\/$/, "")}/no-such-part`),
    elsewhere: false,
    needsObserver: true,
  },
  "GATE-58": typed(["application/octet-stream", "text/json", ""]),
  "GATE-61": {
    cause: "proxy_headers_trusted",
    requests: () => Object.entries(TRUSTED).map(([name, headers]) => ({ name, headers })),
  },
  "GATE-62": atPath((path) => {
    const bare = path.replace(/\/$/, "");
    return [`${bare};x`, `${bare}.json`, `${bare}/x/..`];
  }),
  "GATE-63": byMethod("PATCH"),
  "GATE-64": {
    cause: "query_trusted",
    elsewhere: "query",
    requests: (event, { url, target }) => {
      const query = formEncoded(fields(JSON.parse(String(event))));
      const all = `${target}${url.search === "" ? "?" : "&"}${query}`;
      const bodies = { "no body": Buffer.alloc(0), "{}": Buffer.from("{}"), "the event": event };
      return Object.entries(bodies).map(([name, body]) => ({ name, body, target: all }));
    },
  },
} satisfies Readonly<Record<string, GateForm>>;

/** The event, or what is made of it, with each of some Content-Types. */
function typed(
  types: readonly (string | null)[],
  bodyOf: (event: Buffer) => Buffer = (event) => event,
): GateForm {
  const requests = (event: Buffer) =>
    types.map((type) => ({
      name: type || "no type",
      body: bodyOf(event),
      headers: { "content-type": type },
    }));
  return { cause: "some_types_verified", requests };
}

/** By another method, which may be answered 200 without being a receiver. */
function byMethod(method: string): GateForm {
  return { cause: "some_routes_verified", requests: () => [{ method }], elsewhere: true };
}

/** By a method that may well be answered with 2xx, so that only the effect shows a forgery. */
function observedMethod(method: string): GateForm {
  return { cause: "some_routes_verified", requests: () => [{ method }], needsObserver: true };
}

function atPath(change: (path: string) => string | readonly string[]): GateForm {
  return {
    cause: "some_routes_verified",
    elsewhere: true,
    requests: (_, { url }) => {
      const paths = [change(url.pathname)].flat();
      return paths.map((path) => ({
        ...(paths.length > 1 && { name: path }),
        target: path + url.search,
      }));
    },
  };
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
