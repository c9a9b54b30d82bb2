import { describe, expect, it } from "vitest";
import type { Incoming } from "../../src/entries/index.ts";
import { refuseHead as refuse } from "../../src/receiver/admit.ts";

const HEX = "0123456789abcdef".repeat(4);
const SIGNED = { "x-service-signature": `sha256=${HEX}` };
const head = (parts: Partial<Incoming> = {}): Incoming => ({
  method: "POST",
  target: "/webhooks",
  path: "/webhooks",
  headers: SIGNED,
  read: () => Promise.reject(new Error("expected the body not to be read")),
  ...parts,
});
const encoded = (encoding: string, more: object = SIGNED) => ({
  headers: { "content-encoding": encoding, ...more },
});
/** What refuses a request, in a word. */
function refuseHead(incoming: Incoming): string | undefined {
  const outcome = refuse(incoming, "X-Service-Signature");
  return outcome !== undefined && "reason" in outcome ? outcome.reason : undefined;
}

describe("refuseHead", () => {
  it.each([undefined, "", "identity", "IDENTITY", "Identity"])(
    "accepts a POST to the path with the content encoding %j",
    (encoding) => {
      expect(refuseHead(head(encoding === undefined ? {} : encoded(encoding)))).toBeUndefined();
    },
  );

  it.each(["gzip", "br", "identity, gzip", "identity, identity"])(
    "refuses the content encoding %j",
    (encoding) => {
      expect(refuseHead(head(encoded(encoding)))).toBe("content_encoding");
    },
  );

  it.each<Incoming["headers"]>([
    {},
    { "x-service-signature": "" },
    { "x-service-signature": "  " },
    { authorization: "Bearer abc", "x-request-id": "0123456789abcdef0123456789abcdef" },
    { "x-other-signature": "sha1=0123456789abcdef0123456789abcdef01234567" },
  ])("refuses %j, with which no body could be authentic", (headers) => {
    expect(refuseHead(head({ headers }))).toBe("signature_missing");
  });

  it.each<Incoming["headers"]>([
    SIGNED,
    { "x-service-signature": "not a signature" },
    { "x-service-signature": ["sha256=00", "sha256=11"] },
    { "x-hub-signature-256": `sha256=${HEX}` },
    { "x-other-signature": HEX.toUpperCase() },
    { "x-other-signature": ["a", `v1=${HEX}`] },
    { "x-other-signature": "sha256=MDEyMzQ1Njc4OQ==" },
  ])("reads the body with %j, to say what is wrong", (headers) => {
    expect(refuseHead(head({ headers }))).toBeUndefined();
  });

  it("names the path before the method, that before the signature, and that before the encoding", () => {
    const gzip = encoded("gzip", {});
    expect(refuseHead(head({ target: "/", method: "GET", ...gzip }))).toBe("wrong_path");
    expect(refuseHead(head({ method: "GET", ...gzip }))).toBe("wrong_method");
    expect(refuseHead(head(gzip))).toBe("signature_missing");
    expect(refuseHead(head(encoded("gzip")))).toBe("content_encoding");
  });
});
