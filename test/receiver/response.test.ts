import { describe, expect, it } from "vitest";
import { HookporterError, type Outcome, type RefusalReason } from "../../src/entries/index.ts";
import { toAnswer } from "../../src/receiver/response.ts";

const secret = { role: "current", fingerprint: "0123abcd" } as const;
const accepted = {
  type: "accepted",
  eventId: "evt_1",
  seq: 7,
  kind: "x",
  entryState: "dead",
  secret,
} as const;
const rejected = {
  type: "rejected",
  kind: null,
  seq: 7,
  eventId: "raw_1",
  duplicate: true,
  secret,
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
  it.each([true, false])("says whether an accepted event is a duplicate: %s", (duplicate) => {
    const { status, value } = answered({ ...accepted, duplicate });
    expect(status).toBe(200);
    expect(value).toEqual({ received: true, id: "evt_1", duplicate });
  });

  it("does not say that data did not fit", () => {
    expect(answered({ ...accepted, duplicate: false, reason: "invalid_data" })).toEqual(
      answered({ ...accepted, duplicate: false }),
    );
  });

  it("names the field of a rejected delivery, if there is one", () => {
    const field = "data.é€😀";
    const rejection = {
      reason: "duplicate_key",
      message: "an object holds one key twice",
      field,
    } as const;
    const { status, value } = answered({ ...rejected, rejection });
    expect(status).toBe(400);
    expect(value).toEqual({
      error: { type: "invalid_request", message: "an object holds one key twice", field },
    });
    const bare = answered({
      ...rejected,
      rejection: { reason: "empty_body", message: "the body is empty" },
    });
    expect(bare.value).toEqual({
      error: { type: "invalid_request", message: "the body is empty" },
    });
  });

  it("is the same 401 for every reason", () => {
    const reasons = ["signature_missing", "signature_malformed", "signature_mismatch"] as const;
    const answers = reasons.map((reason) => answered({ type: "unauthorized", reason }));
    expect(answers[0]).toMatchObject({ status: 401, value: error("unauthorized") });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
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

  it("asks the sender to retry if the delivery could not be stored", () => {
    const { status, headers, value } = answered({
      type: "unavailable",
      error: new Error("disk /var/x is full"),
    });
    expect(status).toBe(503);
    expect(value).toEqual(error("unavailable"));
    expect(headers["Retry-After"]).toMatch(/^[1-9]\d*$/);
    expect(JSON.stringify(value)).not.toContain("/var/x");
  });

  it.each([
    [
      "closes the connection if the receiver is closed",
      new HookporterError("closed", "closed"),
      "close",
    ],
    [
      "keeps the connection after another failure",
      new HookporterError("inbox_corrupt", "damaged"),
      undefined,
    ],
    [
      "keeps the connection after another's error",
      Object.assign(new Error(), { code: "closed" }),
      undefined,
    ],
  ])("%s, so that the retry reaches another process only then", (_, failure, connection) => {
    const { headers } = answered({ type: "unavailable", error: failure });
    expect(headers.Connection).toBe(connection);
    expect(headers["Retry-After"]).toBe("5");
  });

  it("reveals nothing about a mistake of the integrator", () => {
    const { status, value } = answered({
      type: "misconfigured",
      error: new Error("the secret is hunter2"),
    });
    expect(status).toBe(500);
    expect(value).toEqual(error("server_error"));
    expect(JSON.stringify(value)).not.toContain("hunter2");
  });
});
