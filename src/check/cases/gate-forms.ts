import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Envelope } from "../../event/envelope.ts";
import type { CheckCase } from "../check-case.ts";
import type { PostOptions, Probe } from "../probe.ts";

/** A delivery, apart from its signature. */
export type GateRequest = { readonly body: Buffer } & Omit<PostOptions, "signature">;

/** A form of a request that a stack may pass to the handler without running the check of the signature. */
export interface GateForm {
  /** The numbers of the cases: unsigned, wrongly signed, and both of them observed. */
  readonly ids: readonly [unsigned: CheckCase["id"], wrong: CheckCase["id"], observed: CheckCase["id"]];
  readonly as: string;
  /** The requests in this form, of which none may be confirmed. */
  readonly requests: (probe: Probe) => readonly GateRequest[];
  readonly fix: string;
  readonly about: NonNullable<CheckCase["about"]>;
  /** Sent by another method or to another path, which may be answered 200 without being a receiver. */
  readonly elsewhere?: boolean;
}

const TYPE_FIX =
  "it checks the signature only for some content types, so a forgery of another type gets in: read the raw bytes of " +
  "every request and verify them before any parser (in Express `express.raw({ type: () => true })`, not `express.json({ verify })`)";
export const METHOD_FIX =
  "it checks the signature only for POST, so a forgery by another method gets in: verify in the handler itself, and " +
  "answer 405 to all methods but POST";
const OVERRIDE_FIX =
  "it lets a header replace the method and checks the signature only for POST, so a forgery gets in: remove the method " +
  "override, and verify in the handler itself";
export const PATH_FIX =
  "it checks the signature only for one spelling of the path, so a forgery at another gets in: verify in the handler " +
  "itself, not where the path is compared";
const FRAMING_FIX =
  "it checks the signature only for bodies in one form, so a forgery in another gets in: read the raw bytes of every " +
  "request, however they are encoded, and verify them before anything else";

const FORM_TYPE = "application/x-www-form-urlencoded";
const BOUNDARY = "hookporter-check";

/** The forms in which forged deliveries are sent. */
export const GATE_FORMS: readonly GateForm[] = [
  typed(["GATE-01", "GATE-02", "GATE-03"], "text/plain", "text/plain"),
  typed(["GATE-04", "GATE-05", "GATE-06"], `JSON with the type ${FORM_TYPE}`, FORM_TYPE),
  typed(["GATE-07", "GATE-08", "GATE-09"], "a form-encoded envelope", FORM_TYPE, (probe) =>
    formEncoded(fields(probe.event())),
  ),
  typed(["GATE-10", "GATE-11", "GATE-12"], "JSON without a Content-Type", null),
  typed(["GATE-13", "GATE-14", "GATE-15"], "application/vnd.api+json", "application/vnd.api+json"),
  typed(["GATE-16", "GATE-17", "GATE-18"], "application/merge-patch+json", "application/merge-patch+json"),
  {
    ...{ ids: ["GATE-19", "GATE-20", "GATE-21"], as: "by PUT", fix: METHOD_FIX, about: "unchecked-route" },
    elsewhere: true,
    requests: (probe) => [{ body: probe.body(), method: "PUT" }],
  },
  {
    ...{ ids: ["GATE-22", "GATE-23", "GATE-24"], as: "X-HTTP-Method-Override: PUT", fix: OVERRIDE_FIX },
    about: "unchecked-route",
    requests: (probe) => [{ body: probe.body(), headers: { "x-http-method-override": "PUT" } }],
  },
  atPath(["GATE-25", "GATE-26", "GATE-27"], "the path with or without a closing slash", withOtherSlash),
  atPath(["GATE-28", "GATE-29", "GATE-30"], "the path in capitals", (path) => path.toUpperCase()),
  {
    ...typed(["GATE-33", "GATE-34", "GATE-35"], "the type in capitals, or with a charset", null),
    requests: (probe) =>
      [
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json; charset=utf-16",
        "application/json; charset=iso-8859-1",
        "application/json; charset=none",
      ].map((type) => ({ body: probe.body(), headers: { "content-type": type } })),
  },
  typed(["GATE-36", "GATE-37", "GATE-38"], "a form with JSON in its field `payload`", FORM_TYPE, (probe) =>
    formEncoded([["payload", probe.body().toString("utf8")]]),
  ),
  typed(
    ["GATE-39", "GATE-40", "GATE-41"],
    "multipart/form-data with the envelope, and as JSON in `payload`",
    `multipart/form-data; boundary=${BOUNDARY}`,
    (probe) => multipart([...fields(probe.event()), ["payload", probe.body().toString("utf8")]]),
  ),
  {
    ...{ ids: ["GATE-42", "GATE-43", "GATE-44"], as: "Content-Encoding gzip, deflate, br or identity" },
    ...{ fix: FRAMING_FIX, about: "unchecked-framing" },
    requests: (probe) => {
      const body = probe.body();
      const encoded = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, identity: Buffer.from };
      return Object.entries(encoded).map(([name, encode]) => ({
        body: encode(body),
        headers: { "content-encoding": name },
      }));
    },
  },
  {
    ...{ ids: ["GATE-45", "GATE-46", "GATE-47"], as: "in chunks, without a length" },
    ...{ fix: FRAMING_FIX, about: "unchecked-framing" },
    requests: (probe) => [{ body: probe.body(), chunked: true }],
  },
  {
    ...atPath(["GATE-48", "GATE-49", "GATE-50"], "a query added to the URL", (path) => path),
    requests: (probe) => {
      const added = `${probe.url.search === "" ? "?" : "&"}source=check`;
      return [{ body: probe.body(), target: probe.target + added }];
    },
  },
  atPath(["GATE-51", "GATE-52", "GATE-53"], "a letter of the path percent-encoded", percentEncoded),
  {
    ...typed(["GATE-58", "GATE-59", "GATE-60"], "application/octet-stream, text/json or an empty type", null),
    requests: (probe) =>
      ["application/octet-stream", "text/json", ""].map((type) => ({
        body: probe.body(),
        headers: { "content-type": type },
      })),
  },
  atPath(["GATE-54", "GATE-55", "GATE-56"], "the path with // or /./", (path) => [`/${path}`, `/.${path}`]),
];

function typed(
  ids: GateForm["ids"],
  as: string,
  type: string | null,
  bodyOf: (probe: Probe) => Buffer = (probe) => probe.body(),
): GateForm {
  const requests = (probe: Probe) => [{ body: bodyOf(probe), headers: { "content-type": type } }];
  return { ids, as, fix: TYPE_FIX, about: "unchecked-type", requests };
}

function atPath(
  ids: GateForm["ids"],
  as: string,
  change: (path: string) => string | readonly string[],
): GateForm {
  const requests = (probe: Probe) =>
    [change(probe.url.pathname)]
      .flat()
      .map((path) => ({ body: probe.body(), target: path + probe.url.search }));
  return { ids, as, fix: PATH_FIX, about: "unchecked-route", elsewhere: true, requests };
}

/** The path with a closing slash if it has none, else without it. */
function withOtherSlash(path: string): string {
  if (path === "/") return path;
  return path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
}

/** The path with its first letter percent-encoded, which means the same. */
function percentEncoded(path: string): string {
  return path.replace(/[A-Za-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

/** The fields of an envelope as a form has them: `data[id]`, as the common parsers of nested forms read it. */
function fields(value: Envelope | object, within?: string): [string, string][] {
  return Object.entries(value).flatMap(([key, one]): [string, string][] => {
    const name = within === undefined ? key : `${within}[${key}]`;
    return typeof one === "object" && one !== null ? fields(one, name) : [[name, String(one)]];
  });
}

function formEncoded(pairs: [string, string][]): Buffer {
  return Buffer.from(new URLSearchParams(pairs).toString(), "utf8");
}

function multipart(pairs: readonly [string, string][]): Buffer {
  const parts = pairs.map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join("")}--${BOUNDARY}--\r\n`, "utf8");
}
