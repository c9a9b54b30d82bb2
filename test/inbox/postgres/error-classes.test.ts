import { expect, it } from "vitest";
import { inboxError, isConflict, isFaultOfRow, isOutage } from "../../../src/inbox/postgres/errors.ts";

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
  ["58030", "an input or output error", "inbox_unavailable"],
  ["XX001", "a damaged page", "inbox_corrupt"],
  ["0A000", "a class without an entry", "inbox_unavailable"],
  ["ECONNREFUSED", "no server", "inbox_unreachable"],
  ["EPIPE", "a lost connection", "inbox_unreachable"],
])("%s, %s, becomes an error that says what to do", (code, _, expected) => {
  const error = mapped(withCode(code));
  expect(error.code).toBe(expected);
  expect(error.message).toMatch(/^expected the inbox postgres:\/\/u@h\/d to work, got "error \w+": \w.+/);
});

it("only the class of an error decides whether its row, its transaction or the database is to blame", () => {
  const blamed = (code: string) => {
    const error = mapped(withCode(code));
    return [
      isFaultOfRow(error) && "row",
      isConflict(error.cause) && "transaction",
      isOutage(error) && "database",
    ]
      .filter((one) => one !== false)
      .join();
  };
  const codes = [
    "22021",
    "23505",
    "54000",
    "40001",
    "40P01",
    "08006",
    "57P01",
    "ECONNRESET",
    "53300",
    "42501",
  ];
  expect(codes.map(blamed)).toEqual([
    ...["row", "row", "row", "transaction", "transaction", "database", "database", "database", "", ""],
  ]);
  expect(isOutage(mapped(new Error("Query read timeout")))).toBe(true);
  expect(isOutage(mapped(new Error("timeout exceeded when trying to connect")))).toBe(true);
});
