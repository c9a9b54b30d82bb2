import { existsSync } from "node:fs";
import { describeError } from "../base/errors.ts";
import { errorsOf } from "../base/guards.ts";
import { isLocalhost } from "../base/localhost.ts";
import { hostOf, portOf } from "../http/host-of.ts";
import { tryToConnect } from "../http/try-to-connect.ts";

/** Milliseconds that a probe of this machine's ports may take. */
const PROBE_TIMEOUT = 500;

/** This machine's loopback addresses, each with the other one. */
const OTHER_FAMILY: Readonly<Record<string, string>> = {
  "127.0.0.1": "[::1]",
  "[::1]": "127.0.0.1",
};

/** What is known besides the error. */
export interface Surroundings {
  /** Whether this process runs in a container, where `localhost` is the container itself. */
  readonly inContainer?: boolean;
}

/** Why a target did not answer. */
export interface Unreachable {
  /** In one line: cause, then fix. */
  readonly why: string;
  /** Whether a server is there, which cannot be sent anything in this way. */
  readonly isThere: boolean;
}

/** Explains why a target did not answer. Probes the target's port to find out. */
export async function whyUnreachable(
  thrown: unknown,
  target: URL,
  {
    inContainer = existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
  }: Surroundings = {},
): Promise<Unreachable> {
  const first = likeliest(thrown);
  const code = codeOf(first);
  const host = hostOf(target);
  if (code === "ECONNREFUSED") return away(await whyRefused(target, inContainer));
  if (code === "ENOTFOUND" && host === "host.docker.internal")
    return away(
      "unknown host: that name exists only inside a container (on Linux start it with --add-host=host.docker.internal:host-gateway); elsewhere use 127.0.0.1",
    );
  if (code === "ENOTFOUND") return away(`unknown host: check the spelling of ${host}`);
  if (code === "EAI_AGAIN")
    return away(`could not look up ${host}: check its spelling and this machine's network`);
  if (["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"].includes(code))
    return away(`the network cannot reach it (${code}): check the address and firewalls`);
  if (target.protocol === "https:") return whyNotSecure(first, code, target);
  return whyBroken(first, code, target);
}

function away(why: string): Unreachable {
  return { why, isThere: false };
}

function there(why: string): Unreachable {
  return { why, isThere: true };
}

/**
 * The error to report if several addresses of a name were tried: a refused connection if there is
 * one, since a machine without IPv6 cannot reach `::1` at all, else the first.
 */
function likeliest(thrown: unknown): unknown {
  const errors = errorsOf(thrown);
  return errors.find((error) => codeOf(error) === "ECONNREFUSED") ?? errors[0];
}

function codeOf(thrown: unknown): string {
  return String((thrown as NodeJS.ErrnoException | undefined)?.code ?? "");
}

async function whyRefused(target: URL, inContainer: boolean): Promise<string> {
  const host = hostOf(target);
  const other = new URL(target);
  other.hostname = OTHER_FAMILY[target.hostname] ?? target.hostname;
  const isLoopback = other.hostname !== target.hostname;
  if (
    isLoopback &&
    (await tryToConnect(other, { timeout: PROBE_TIMEOUT, secure: false })) === undefined
  ) {
    return `connection refused on ${host}, but something listens on ${hostOf(other)}: forward to ${other.origin}, or make the app listen on ${host}`;
  }
  const local = isLocalhost(target.hostname);
  const hint =
    inContainer && (isLoopback || local)
      ? `; in this container ${host} is the container itself: for an app on the container's host use http://host.docker.internal:${portOf(target)}`
      : "";
  const tried = local ? " on 127.0.0.1 and ::1" : "";
  return `connection refused${tried}: nothing listens there; start the receiver, or check the port${hint}`;
}

function whyNotSecure(thrown: unknown, code: string, target: URL): Unreachable {
  const text = describeError(thrown);
  if (/wrong.version.number|packet.length.too.long|http.request/i.test(`${code} ${text}`))
    return there(`it speaks plain HTTP, not TLS: use http://${target.host}`);
  if (/CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/.test(code)) {
    return there(
      `its certificate is not trusted (${code}): set NODE_EXTRA_CA_CERTS to its authority's certificate file, use a plain HTTP port, or, for a loopback or private address, start listen with --insecure`,
    );
  }
  if (code.startsWith("ERR_SSL_"))
    return there(`it speaks TLS, but not as this machine does: ${text}`);
  if (code === "ECONNRESET")
    return away(`${CLOSED}; it may not speak TLS: try http://${target.host}`);
  return away(text);
}

async function whyBroken(thrown: unknown, code: string, target: URL): Promise<Unreachable> {
  const garbled = code.startsWith("HPE_");
  if (!garbled && code !== "ECONNRESET" && code !== "EPIPE") return away(describeError(thrown));
  if (await speaksTls(target)) return there(speakTls(target));
  return garbled
    ? there("the server there does not speak HTTP: check the port")
    : away(`${CLOSED}: check the app's log`);
}

function speakTls({ host }: URL): string {
  return `it speaks TLS, not plain HTTP: use https://${host}`;
}

const CLOSED = "the connection was closed before an answer arrived";

/**
 * Recognises a TLS server's 400 to plain HTTP (nginx, Apache, Go, Caddy); returns the fix, or
 * `undefined` for another 400.
 */
export function explainPlainHttp(target: URL, status: number, body: string): string | undefined {
  const explanation =
    /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL/i;
  if (target.protocol !== "http:" || status !== 400 || !explanation.test(body)) return undefined;
  return speakTls(target);
}

async function speaksTls(target: URL): Promise<boolean> {
  // This only tests whether the server completes a TLS handshake. Nothing is sent, so any
  // certificate will do. An alert is a TLS answer too: the server may require a name, or a client
  // certificate.
  const why = await tryToConnect(target, {
    timeout: PROBE_TIMEOUT,
    secure: true,
    insecure: true,
  });
  return why === undefined || /^ERR_SSL_.*_ALERT_/.test(codeOf(why));
}
