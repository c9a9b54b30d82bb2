import { existsSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { connect as connectSecure } from "node:tls";
import { describeError } from "../errors.ts";

/** Milliseconds that a probe of this machine's own ports may take. */
const PROBE_TIMEOUT = 500;

/** The addresses by which this machine reaches itself, and the other of each. */
const OTHER_FAMILY: Readonly<Record<string, string>> = { "127.0.0.1": "::1", "::1": "127.0.0.1" };

/** What is known beside the error. */
export interface Surroundings {
  /** Whether this process runs in a container, where `localhost` is the container itself. */
  readonly inContainer?: boolean;
}

/** Why a target did not answer, in one line: the cause, then the fix. Looks at the target's port once more to know. */
export async function whyUnreachable(
  thrown: unknown,
  target: URL,
  { inContainer = isContainer() }: Surroundings = {},
): Promise<string> {
  // Where several addresses of a name were tried, the first one's cause stands for all.
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const code = String((first as NodeJS.ErrnoException | undefined)?.code ?? "");
  const host = bare(target.hostname);
  if (code === "ECONNREFUSED") return whyRefused(target, inContainer);
  if (code === "ENOTFOUND" && host === "host.docker.internal")
    return "no such host: that name exists inside a container only (on Linux start it with --add-host=host.docker.internal:host-gateway); elsewhere use 127.0.0.1";
  if (code === "ENOTFOUND") return `no such host: check the spelling of ${host}`;
  if (code === "EAI_AGAIN")
    return `the name ${host} could not be looked up: check its spelling and this machine's network`;
  if (["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"].includes(code))
    return `the network does not lead there (${code}): check the address, and the firewall between`;
  if (target.protocol === "https:") return whyNotSecure(first, code, target);
  return whyBroken(first, code, target);
}

async function whyRefused(target: URL, inContainer: boolean): Promise<string> {
  const host = bare(target.hostname);
  const port = portOf(target);
  const other = OTHER_FAMILY[host];
  if (other !== undefined && (await accepts(other, port))) {
    const url = new URL(target);
    url.hostname = other === "::1" ? "[::1]" : other;
    return `connection refused on ${host}, but something listens on ${other}: forward to ${url.origin}, or let the app listen on ${host}`;
  }
  const hint =
    inContainer && (other !== undefined || host === "localhost")
      ? `; in this container ${host} is the container itself: for an app on its host use http://host.docker.internal:${port}`
      : "";
  return `connection refused: nothing listens there; start the receiver, or check the port${hint}`;
}

function whyNotSecure(thrown: unknown, code: string, target: URL): string {
  const text = describeError(thrown);
  if (/wrong.version.number|packet.length.too.long|http.request/i.test(`${code} ${text}`))
    return `it speaks plain HTTP, not TLS: use http://${target.host}`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/.test(code))
    return `its certificate is not trusted (${code}): set NODE_EXTRA_CA_CERTS to its authority's file, or use a plain http port`;
  if (code === "ECONNRESET") return `${CLOSED}; it may not speak TLS: try http://${target.host}`;
  return text;
}

async function whyBroken(thrown: unknown, code: string, target: URL): Promise<string> {
  const garbled = code.startsWith("HPE_");
  if (!garbled && code !== "ECONNRESET" && code !== "EPIPE") return describeError(thrown);
  if (await speaksTls(bare(target.hostname), portOf(target)))
    return `it speaks TLS, not plain HTTP: use https://${target.host}`;
  return garbled ? "what listens there does not speak HTTP: check the port" : `${CLOSED}: see the app's log`;
}

const CLOSED = "the connection was closed before an answer came";

/** What a TLS server's 400 says to plain HTTP (nginx, Apache, Go, Caddy); the fix, or `undefined` where it is another 400. */
export function wantsTls(target: URL, status: number, body: string): string | undefined {
  const told =
    /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL/i;
  if (target.protocol !== "http:" || status !== 400 || !told.test(body)) return undefined;
  return `it speaks TLS, not plain HTTP: use https://${target.host}`;
}

function accepts(host: string, port: number): Promise<boolean> {
  return probe(() => connectPlain({ host, port }), "connect");
}

function speaksTls(host: string, port: number): Promise<boolean> {
  // Only whether it shakes hands is asked; nothing is sent, so nothing depends on whose certificate it is. An alert is an
  // answer in TLS too: it may want a name, or a certificate of ours.
  const secure = () => connectSecure({ host, port, rejectUnauthorized: false });
  return probe(secure, "secureConnect", (code) => /^ERR_SSL_.*_ALERT_/.test(code));
}

function probe(
  open: () => ReturnType<typeof connectPlain>,
  event: string,
  tells = (_code: string) => false,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open();
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_TIMEOUT, () => end(false));
    socket.once(event, () => end(true));
    socket.on("error", ({ code = "" }: NodeJS.ErrnoException) => end(tells(code)));
  });
}

function isContainer(): boolean {
  return existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
