import { describeError } from "../errors.ts";

/** A request that got no answer. */
export interface NetworkFailure {
  /** One line on why. */
  readonly why: string;
  /** No connection came about, so the service cannot have seen the request. */
  readonly notSent: boolean;
  /** Trying again at once cannot help. */
  readonly permanent: boolean;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused: nothing listens there",
  ENOTFOUND: "no such host",
  ECONNRESET: "the connection was closed before the answer was whole",
  UND_ERR_SOCKET: "the connection was closed before the answer was whole",
  UND_ERR_CONNECT_TIMEOUT: "no connection came about in time",
};

/** A certificate that cannot be trusted, and a port that `fetch` refuses as browsers do, stay what they are. */
const PERMANENT =
  /^(?:ENOTFOUND|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;

/** What a failed `fetch` means; its own error says "fetch failed" and keeps the reason in `cause`. */
export function readNetworkFailure(thrown: unknown): NetworkFailure {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const leaves = cause instanceof AggregateError ? cause.errors : [cause]; // one for each address of the host
  const first = leaves[0] as NodeJS.ErrnoException | undefined;
  const code = first?.code ?? "";
  const text = describeError(first);
  const refused = text === "bad port";
  const notSent = refused || leaves.every(isBeforeSending);
  const why = refused ? "fetch refuses this port, as browsers do: use another" : (WORDS[code] ?? text);
  return { why, notSent, permanent: refused || PERMANENT.test(code) };
}

function isBeforeSending(thrown: unknown): boolean {
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  return syscall === "connect" || syscall === "getaddrinfo" || code === "UND_ERR_CONNECT_TIMEOUT";
}
