import { describeError } from "../../base/errors.ts";
import { errorsOf, isError } from "../../base/guards.ts";

/** A request without a response. */
export interface NetworkFailure {
  /** The reason in one line. */
  readonly why: string;
  /** There was no connection, so the service cannot have seen the request. */
  readonly notSent: boolean;
  /** Retrying at once cannot help. */
  readonly permanent: boolean;
  /** Waiting can help: the service, and its name, may not be up yet. */
  readonly mayPass: boolean;
}

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused: nothing listens there",
  ENOTFOUND: "unknown host: check the base URL",
  ECONNRESET: "the connection was closed before the response was complete",
  UND_ERR_SOCKET: "the connection was closed before the response was complete",
  UND_ERR_CONNECT_TIMEOUT: "no connection could be made in time",
};

/** An untrusted certificate, or a port that `fetch` refuses as browsers do, stays that way. */
const PERMANENT =
  /^(?:ENOTFOUND|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * Describes an error of `fetch`, which always says "fetch failed" and keeps the reason in `cause`.
 */
export function readNetworkFailure(thrown: unknown): NetworkFailure {
  const cause = isError(thrown) && thrown.cause !== undefined ? thrown.cause : thrown;
  const proxy = readProxyRefusal(cause);
  if (proxy !== undefined) return { why: proxy, notSent: true, permanent: false, mayPass: true };
  // one per address of the host
  const leaves = errorsOf(cause);
  const first = leaves[0] as NodeJS.ErrnoException | undefined;
  const code = first?.code ?? "";
  const text = describeError(first);
  const refused = text === "bad port";
  const notSent = refused || leaves.every(isBeforeSending);
  const why = refused
    ? "fetch refuses this port, as browsers do: use another"
    : (MESSAGES[code] ?? text);
  const permanent = refused || PERMANENT.test(code);
  return { why, notSent, permanent, mayPass: !permanent || code === "ENOTFOUND" };
}

/** A proxy that Node uses refused to connect: the service has seen nothing. */
function readProxyRefusal(cause: unknown): string | undefined {
  const inner = isError(cause) ? cause.cause : undefined;
  const [, status] = /^Proxy response \((\d+)\)/.exec(describeError(inner)) ?? [];
  if (status === undefined) return undefined;
  return `the proxy answered ${status}: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY`;
}

function isBeforeSending(thrown: unknown): boolean {
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  return syscall === "connect" || syscall === "getaddrinfo" || code === "UND_ERR_CONNECT_TIMEOUT";
}
