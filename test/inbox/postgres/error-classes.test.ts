import { expect, it } from "vitest";
import {
  inboxError,
  isConflict,
  isFaultOfRow,
  isOfStandby,
  isOutage,
  stateOf,
} from "../../../src/inbox/postgres/errors.ts";

const withCode = (code: string) => Object.assign(new Error(`error ${code}`), { code });
const mapped = (thrown: unknown) => inboxError("postgres://u@h/d", thrown);

it.each([
  ["08006", "connection failure", "inbox_unreachable"],
  ["08P01", "protocol violation", "inbox_unreachable"],
  ["22021", "a character that does not fit the encoding", "inbox_unavailable"],
  ["23505", "a unique violation", "inbox_unavailable"],
  ["25006", "a standby", "inbox_read_only"],
  ["28000", "no entry in pg_hba.conf", "inbox_unavailable"],
  ["28P01", "a wrong password", "inbox_unavailable"],
  ["3D000", "no such database", "inbox_unavailable"],
  ["3F000", "no such schema", "inbox_unavailable"],
  ["40001", "a serialization failure", "inbox_busy"],
  ["40P01", "a deadlock", "inbox_busy"],
  ["42501", "a missing right", "inbox_unavailable"],
  ["42703", "a missing column", "inbox_unavailable"],
  ["53100", "a full disk", "disk_full"],
  ["53200", "no memory", "inbox_busy"],
  ["53300", "too many connections", "inbox_busy"],
  ["54000", "an index row that is too long", "inbox_unavailable"],
  ["55P03", "a lock", "inbox_busy"],
  ["57014", "a cancelled statement", "inbox_busy"],
  ["57P01", "a server that stops", "inbox_unreachable"],
  ["57P03", "a server that starts", "inbox_unreachable"],
  ["58030", "an input or output error", "disk_error"],
  ["XX001", "a damaged page", "inbox_corrupt"],
  ["0A000", "a class without an entry", "inbox_unavailable"],
  ["ECONNREFUSED", "no server", "inbox_unreachable"],
  ["EPIPE", "a lost connection", "inbox_unreachable"],
  ["ERR_STREAM_DESTROYED", "a connection that was lost before", "inbox_unreachable"],
  ["ERR_STREAM_WRITE_AFTER_END", "a connection that the server ended", "inbox_unreachable"],
])("%s, %s, becomes an error that says what to do", (code, _, expected) => {
  const error = mapped(withCode(code));
  expect(error.code).toBe(expected);
  expect(error.message).toMatch(
    /^expected the inbox postgres:\/\/u@h\/d to work, got "error \w+": \w.+/,
  );
});

it.each([
  ["22021", "row"],
  ["23505", "row"],
  ["54000", "row"],
  ["12200", ""],
  ["55P03", ""],
  ["40001", "transaction"],
  ["40P01", "transaction"],
  ["57P05", "transaction,database"],
  ["40002", ""],
  ["40000", ""],
  ["08006", "database"],
  ["57P01", "database"],
  ["ECONNRESET", "database"],
  ["53300", ""],
  ["42501", ""],
  ["25006", "standby"],
  ["25001", ""],
])("%s: %j is to blame, whether the error is the server's own or the inbox's", (code, blamed) => {
  const own = withCode(code);
  const blames = (thrown: unknown) =>
    [
      isFaultOfRow(thrown) && "row",
      isConflict(own) && "transaction",
      isOutage(mapped(own)) && "database",
      isOfStandby(own) && "standby",
    ]
      .filter((one) => one !== false)
      .join();
  expect([blames(own), blames(mapped(own))]).toEqual([blamed, blamed]);
});

it.each([
  ["Query read timeout", "inbox_busy", "did not answer in time"],
  ["timeout exceeded when trying to connect", "inbox_busy", "no connection was free"],
  ["Connection terminated unexpectedly", "inbox_unreachable", "the connection was lost"],
  [
    "Client has encountered a connection error and is not queryable",
    "inbox_unreachable",
    "was lost",
  ],
  ["The server does not support SSL connections", "inbox_unavailable", "turn on TLS"],
  ["self-signed certificate in certificate chain", "inbox_unavailable", "sslrootcert=FILE"],
  [
    "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string",
    "inbox_unavailable",
    "PGPASSWORD",
  ],
  [
    "SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature is missing",
    "inbox_unavailable",
    "the password in",
  ],
  ["something else", "inbox_unavailable", "check the server"],
])(
  "the client's %j, which has no code, becomes an error that says what to do",
  (text, code, fix) => {
    const error = mapped(new Error(text));
    expect(error).toMatchObject({ code, message: expect.stringContaining(fix) });
    expect(isOutage(error)).toBe(code !== "inbox_unavailable");
    expect(error.message).toContain(text);
  },
);

it("a failed connection to several addresses is that to the first of them", () => {
  const failed = new AggregateError(
    [withCode("ENOTFOUND"), withCode("ECONNREFUSED")],
    "all failed",
  );
  const error = mapped(failed);
  expect(error).toMatchObject({ code: "inbox_unreachable", cause: failed });
  expect(error.message).toContain('got "error ENOTFOUND": check the host in the URL');
});

it("an error of the inbox's own stays as it is, and anything may be thrown", () => {
  const own = mapped(withCode("53300"));
  expect(mapped(own)).toBe(own);
  for (const thrown of [undefined, null, "text", 5, { code: 5 }, new AggregateError([])]) {
    expect(mapped(thrown)).toMatchObject({ code: "inbox_unavailable", cause: thrown });
    expect([
      isFaultOfRow(thrown),
      isOutage(thrown),
      isConflict(thrown),
      isOfStandby(thrown),
    ]).toEqual([false, false, false, false]);
  }
});

it("only five digits and capitals, at least one of them a digit, are a code of the server", () => {
  for (const code of ["57P01", "08006", "XX001"]) expect(stateOf(withCode(code))).toBe(code);
  for (const code of ["EPIPE", "5700", "570011", "57p01", "57P0.", " 57P01"])
    expect(stateOf(withCode(code))).toBeUndefined();
  expect(mapped(withCode("57"))).toMatchObject({ code: "inbox_unreachable" });
  expect(mapped(withCode("5700"))).toMatchObject({ code: "inbox_unavailable" }); // of no class
});
