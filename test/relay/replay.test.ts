import { createSecretKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Delivery, sign } from "../../src/entries/index.ts";
import { type Fixture, formatDelivery, parseFixture } from "../../src/relay/fixture.ts";
import { exactSending, freshSending, lazySending } from "../../src/relay/replay.ts";
import { readSecrets } from "../../src/signature/secrets.ts";
import { verify } from "../../src/signature/verify.ts";
import { AT, SECRET, savedDelivery } from "./sample.ts";

const HEADER = "x-service-signature";
const KEY = { key: createSecretKey(Buffer.from(SECRET)), header: HEADER, now: AT };
const NOW_TEXT = '"2026-01-15T10:00:00.000Z"';
const saved = (parts: Partial<Delivery>): Fixture => ({
  type: "delivery",
  delivery: savedDelivery(parts),
});
const textOf = (body: Uint8Array) => Buffer.from(body).toString("utf8");

describe("exactSending", () => {
  it("sends the same bytes and the same headers, including the old signature", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const body = Buffer.from(bytes);
        const headers = { [HEADER]: sign(body, "the-secret-of-then-01"), "x-other": "kept" };
        const fixture = parseFixture(
          Buffer.from(formatDelivery(savedDelivery({ body, headers }))),
          "x.json",
        );
        const sending = exactSending(fixture, "x.json");
        expect(Buffer.from(sending.body)).toEqual(body);
        expect(sending.headers).toEqual(headers);
      }),
    );
  });

  it("sends the query of an entry's delivery", () => {
    expect(exactSending(saved({ target: "/webhooks?code=a%2Fb" }), "x").query).toBe("?code=a%2Fb");
  });

  it("refuses an envelope, which has no signature", () => {
    expect(() => exactSending({ type: "envelope", body: Buffer.from("{}") }, "x.json")).toThrow(
      expect.objectContaining({
        code: "fixture_invalid",
        message: expect.stringContaining("x.json"),
      }),
    );
  });
});

describe("freshSending", () => {
  it("changes only the timestamp and the signature", () => {
    const text = (timestamp: string) =>
      `\uFEFF{ "data":{"timestamp":"2020-01-01T00:00:00Z","id":12345678901234567890123, "x":"\\u00e9"},\r\n` +
      `  "timestamp" : ${timestamp},"event":"payment.received" }\n`;
    const headers = {
      "content-type": "application/json; x=y",
      [HEADER]: "sha256=old",
      "x-other": ["a", "b"],
    };
    const fixture = saved({ body: Buffer.from(text('"2020-01-01T00:00:00Z"')), headers });
    const { body, headers: sent } = freshSending(fixture, KEY);
    expect(textOf(body)).toBe(text(NOW_TEXT));
    expect(sent).toEqual({ ...headers, [HEADER]: sign(body, SECRET) });
  });

  it("adds a content type and a signature to an envelope", () => {
    const fixture: Fixture = { type: "envelope", body: Buffer.from('{"timestamp":"x"}') };
    const { body, headers } = freshSending(fixture, KEY);
    expect(textOf(body)).toBe(`{"timestamp":${NOW_TEXT}}`);
    expect(headers).toEqual({ "content-type": "application/json", [HEADER]: sign(body, SECRET) });
  });

  it("signs under the given header name", () => {
    const { body, headers } = freshSending(saved({ headers: {} }), { ...KEY, header: "x-own" });
    expect(headers).toEqual({ "content-type": "application/json", "x-own": sign(body, SECRET) });
  });

  it("sends one signature and one content type, however the saved ones are spelled", () => {
    const headers = {
      "Content-Type": ["text/plain", "text/html"],
      "X-Service-Signature": "sha256=old",
      "X-Other": "kept",
    };
    const { body, headers: sent } = freshSending(saved({ headers }), {
      ...KEY,
      header: "X-Service-Signature",
    });
    expect(sent).toEqual({
      "content-type": "text/plain",
      "x-other": "kept",
      [HEADER]: sign(body, SECRET),
    });
  });

  it.each(["", "no JSON", "[1]", "null", '{"event":"x"}', '{"data":{"timestamp":"x"}}'])(
    "signs a body without a timestamp unchanged: %j",
    (text) => {
      const { body } = freshSending(saved({ body: Buffer.from(text) }), KEY);
      expect(textOf(body)).toBe(text);
    },
  );

  it("does not change the fixture", () => {
    const delivery = savedDelivery({ body: Buffer.from('{"timestamp":"x"}') });
    const before = formatDelivery(delivery);
    freshSending({ type: "delivery", delivery }, KEY);
    expect(formatDelivery(delivery)).toBe(before);
  });

  it("is authentic, whatever the body", () => {
    const secrets = readSecrets(SECRET);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(json)),
        ),
        (bytes) => {
          const { body, headers } = freshSending(saved({ body: bytes }), KEY);
          return verify(body, headers[HEADER], secrets).ok;
        },
      ),
    );
  });
});

describe("lazySending", () => {
  it("is created once, on first access", () => {
    let made = 0;
    const sending = lazySending("a.json", () => {
      made++;
      return { headers: { "x-a": "1" }, body: Buffer.from("{}") };
    });
    expect(sending.label).toBe("a.json");
    expect(made).toBe(0);
    expect({ ...sending }).toEqual({
      label: "a.json",
      headers: { "x-a": "1" },
      body: Buffer.from("{}"),
    });
    expect(made).toBe(1);
  });
});
