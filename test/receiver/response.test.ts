import { describe, expect, it } from "vitest";
import { HookporterError, type Outcome, type RefusalReason } from "../../src/entries/index.ts";
import { toAnswer } from "../../src/receiver/response.ts";

const secret = { role: "current", fingerprint: "0123abcd" } as const;

const own = { seq: 7, secret } as const;
const accepted = {
  ...own,
  type: "accepted",
  eventId: "evt_1",
  kind: "x",
  entryState: "dead",
} as const;

const rejected = {
  ...own,
  type: "rejected",
  kind: null,
  eventId: "raw_1",
  duplicate: true,
} as const;

/** An answer as the sender sees it. */
function answered(outcome: Outcome) {
  const { status, headers, body } = toAnswer(outcome);
  expect(headers["Content-Type"]).toBe("application/json");
  expect(headers["Content-Length"]).toBe(String(Buffer.byteLength(body)));
  return { status, headers, value: JSON.parse(Buffer.from(body).toString("utf8")) };
}

const error = (type: string) => ({ error: { type, message: expect.any(String) } });

describe("toAnswer", () => {
  it("says whether an accepted event is a duplicate, not whether its data did fit", () => {
    for (const duplicate of [true, false]) {
      const { status, value } = answered({ ...accepted, duplicate, reason: "invalid_data" });
      expect(status).toBe(200);
      expect(value).toEqual({ received: true, id: "evt_1", duplicate });
    }
  });

  it("reveals neither why a signature is not valid, nor an error", () => {
    const reasons = ["signature_missing", "signature_malformed", "signature_mismatch"] as const;
    const answers = reasons.map((reason) => answered({ type: "unauthorized", reason }));
    expect(answers[0]).toMatchObject({ status: 401, value: error("unauthorized") });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const failed = { error: new Error("the secret is hunter2") };
    const { status, value } = answered({ type: "misconfigured", ...failed });
    expect([status, value]).toEqual([500, error("server_error")]);
    const unavailable = answered({ type: "unavailable", ...failed });
    expect([unavailable.status, unavailable.value]).toEqual([503, error("unavailable")]);
    expect(JSON.stringify([value, unavailable])).not.toContain("hunter2");
  });

  it("names the field of a rejected delivery, if there is one", () => {
    for (const field of ["data.é€😀", undefined]) {
      const rejection = { reason: "duplicate_key", message: "a key twice", field } as const;
      const { status, value } = answered({ ...rejected, rejection } as Outcome);
      expect(status).toBe(400);
      expect(value).toEqual({ error: { type: "invalid_request", message: "a key twice", field } });
    }
  });

  it.each<[RefusalReason, number, string, object]>([
    ["wrong_path", 404, "not_found", {}],
    ["wrong_method", 405, "method_not_allowed", { Allow: "POST" }],
    ["too_slow", 408, "request_timeout", { Connection: "close" }],
    ["too_large", 413, "payload_too_large", { Connection: "close" }],
    ["content_encoding", 415, "unsupported_encoding", { Connection: "close" }],
    ["aborted", 400, "invalid_request", { Connection: "close" }],
    ["stalled", 408, "request_timeout", { Connection: "close" }],
    ["overloaded", 503, "unavailable", { "Retry-After": "5", Connection: "close" }],
  ])("refuses %s with %d %s", (reason, expected, type, more) => {
    const { status, headers, value } = answered({ type: "refused", reason });
    expect(status).toBe(expected);
    expect(value).toEqual(error(type));
    const { "Content-Type": _, "Content-Length": __, ...others } = headers;
    expect(others).toEqual(more);
  });

  it.each([
    ["closes the connection", new HookporterError("closed", "closed"), "close"],
    ["keeps it after another failure", new HookporterError("inbox_corrupt", "no"), undefined],
    ["keeps it after another's", Object.assign(new Error(), { code: "closed" }), undefined],
  ])("%s, so that the retry reaches another process only then", (_, failure, connection) => {
    const { headers } = answered({ type: "unavailable", error: failure });
    expect(headers.Connection).toBe(connection);
    expect(headers["Retry-After"]).toBe("5");
  });
});
