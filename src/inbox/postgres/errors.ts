import { describeError, HookporterError, type InboxErrorCode } from "../../base/errors.ts";
import { errorsOf } from "../../base/guards.ts";

interface Meaning {
  readonly code: InboxErrorCode;
  readonly fix: string;
}

const busy = (fix: string): Meaning => ({ code: "inbox_busy", fix });
const unavailable = (fix: string): Meaning => ({ code: "inbox_unavailable", fix });
const unreachable = (fix: string): Meaning => ({ code: "inbox_unreachable", fix });
const corrupt = (fix: string): Meaning => ({ code: "inbox_corrupt", fix });

const LOST = unreachable("the connection was lost; it is tried again");
const START = unreachable("start the server, or check the host and port of the URL");

/**
 * By SQLSTATE, by its class (the first two characters), or by Node's code for a failed connection.
 */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  "08": unreachable("check the server and the network; it is tried again"),
  "22": unavailable("report this: a value does not fit its column"),
  "23": unavailable("report this: a row contradicts another"),
  "25006": {
    code: "inbox_read_only",
    fix: "connect to the primary server, or let the role write: see default_transaction_read_only",
  },
  "25P03": busy(
    "a transaction waited too long: raise the role's idle_in_transaction_session_timeout",
  ),
  "28": unavailable("check the user in the URL, and the server's pg_hba.conf"),
  "28P01": unavailable("check the user and the password in the URL"),
  "3D000": unavailable("create the database, or check its name in the URL"),
  "3F000": unavailable("let a user who may create the schema open the inbox once"),
  "40": busy("try again"),
  "42": unavailable("check that the schema was made by this version of hookporter"),
  "42501": unavailable("grant the user what it lacks, or connect as the owner of the schema"),
  "42P01": unavailable("let a user who may create tables open the inbox once"),
  "53": busy("the server lacks room for more; try again"),
  "53100": { code: "disk_full", fix: "free some disk space on the server" },
  "53300": busy("the server has too many connections: raise max_connections, or use a pooler"),
  "54": unavailable("shorten the text: an index of PostgreSQL holds at most 2.7 kB"),
  "55P03": busy("another session holds a lock; try again"),
  "57": unreachable("the server is stopping or starting; it is tried again"),
  "57014": busy("the statement was cancelled; if the role has a statement_timeout, make it longer"),
  "58": unavailable("look into the server's log: its system reported an error"),
  "58030": { code: "disk_error", fix: "check the server's disk, which reported an error" },
  XX001: corrupt("stop all programs that use the database, and restore it from a backup"),
  XX002: corrupt("run REINDEX on the schema"),
  ECONNREFUSED: START,
  ENOENT: START,
  ENOTFOUND: unreachable("check the host in the URL"),
  EAI_AGAIN: unreachable("check the host in the URL, and the name server"),
  EHOSTUNREACH: unreachable("check the host in the URL, and the network"),
  ENETUNREACH: unreachable("check the host in the URL, and the network"),
  ETIMEDOUT: unreachable("check the host in the URL, and firewalls"),
  ECONNRESET: LOST,
  EPIPE: LOST,
  ERR_STREAM_DESTROYED: LOST,
  ERR_STREAM_WRITE_AFTER_END: LOST,
};

/** Messages of `pg` that have no code. */
const MESSAGES: readonly (readonly [RegExp, Meaning])[] = [
  [/^Query read timeout/, busy("the server did not answer in time; try again")],
  [/^timeout exceeded when trying to connect/, busy("no connection was free in time; try again")],
  [/terminated|Client has encountered|not queryable|ended/, LOST],
  [/does not support SSL/, unavailable("turn on TLS at the server: ssl = on in postgresql.conf")],
  [
    /certificate|self-signed|SSL/i,
    unavailable("check the certificate, and name its authority with sslrootcert=FILE in the URL"),
  ],
  [/client password must be/, unavailable("set PGPASSWORD, or give the password in the URL")],
  [/SASL/, unavailable("check the user and the password in the URL")],
];

/** PostgreSQL's five characters for an error; `undefined` if the error is not the server's. */
export function stateOf(thrown: unknown): string | undefined {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether one row of a batch caused the failure, so that the others may be kept without it. */
export function isFaultOfRow(thrown: unknown): boolean {
  const { cause } = (thrown ?? {}) as { cause?: unknown };
  return /^(?:22|23|54)/.test(stateOf(cause) ?? stateOf(thrown) ?? "");
}

/** Whether the database did not respond, so that other work would wait in vain too. */
export function isOutage(thrown: unknown): boolean {
  const { code, cause } = (thrown ?? {}) as { code?: unknown; cause?: unknown };
  return (
    code === "inbox_unreachable" ||
    /^(?:Query read timeout|timeout exceeded)/.test(describeError(cause))
  );
}

/** Whether a connection must not be used again after an error: this server has become a standby. */
export function isOfStandby(thrown: unknown): boolean {
  return stateOf(thrown) === "25006";
}

/**
 * Whether the same transaction may succeed if it is run again: it was in another's way, or was sent
 * when the server had just ended its session for being idle, and so nothing of it was run.
 */
export function isConflict(thrown: unknown): boolean {
  return /^(?:40001|40P01|57P05)$/.test(stateOf(thrown) ?? "");
}

/**
 * An error of the client or the server as one of ours, which names the inbox and the fix, and never
 * a password.
 */
export function inboxError(name: string, thrown: unknown): HookporterError {
  if (thrown instanceof HookporterError) return thrown;
  // Node reports a failed connection to several addresses as one error with a list.
  const [first] = errorsOf(thrown);
  const reason: unknown = first ?? thrown;
  const { code: given } = (reason ?? {}) as { code?: unknown };
  const key = typeof given === "string" ? given : "";
  const known =
    MEANINGS[key] ?? (stateOf(thrown) === undefined ? undefined : MEANINGS[key.slice(0, 2)]);
  const said = MESSAGES.find(([pattern]) => pattern.test(describeError(thrown)))?.[1];
  const { code, fix } = known ?? said ?? unavailable("check the server");
  const got = JSON.stringify(describeError(reason));
  return new HookporterError(code, `expected the inbox ${name} to work, got ${got}: ${fix}`, {
    cause: thrown,
  });
}
