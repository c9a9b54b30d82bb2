import { describe, expect, it, vi } from "vitest";
import type { Incoming } from "../../src/entries/index.ts";
import { openReceiver } from "./open.ts";

const HEX = "0123456789abcdef".repeat(4);
const SIGNED = { "x-service-signature": `sha256=${HEX}` };
const head = (parts: Partial<Incoming> = {}): Incoming => ({
  method: "POST",
  target: "/webhooks",
  path: "/webhooks",
  headers: SIGNED,
  read: async () => Buffer.from("a body"),
  ...parts,
});
const encoded = (encoding: string, more: object = SIGNED) => ({
  headers: { "content-encoding": encoding, ...more },
});
/** What refuses a request before its body is read, in a word; `undefined` if it is read. */
async function refusal(incoming: Incoming): Promise<string | undefined> {
  const { receiver, outcomes } = await openReceiver();
  const read = vi.fn(incoming.read);
  await receiver.receive({ ...incoming, read });
  const [outcome] = outcomes();
  if (read.mock.calls.length > 0 || outcome === undefined) return undefined;
  return "reason" in outcome ? outcome.reason : outcome.type;
}

describe("a receiver", () => {
  it.each<Incoming["headers"]>([
    {},
    { "x-service-signature": "" },
    { "X-Service-Signature": "  " },
    { authorization: "Bearer abc", "x-request-id": "0123456789abcdef0123456789abcdef" },
    { "x-other-signature": "sha1=0123456789abcdef0123456789abcdef01234567" },
  ])("refuses %j, with which no body could be authentic", async (headers) => {
    expect(await refusal(head({ headers }))).toBe("signature_missing");
  });

  it.each<Incoming["headers"]>([
    SIGNED,
    { "x-service-signature": "not a signature" },
    { "x-service-signature": ["sha256=00", "sha256=11"] },
    { "x-hub-signature-256": `sha256=${HEX}` },
    { "x-other-signature": HEX.toUpperCase() },
    { "x-other-signature": ["a", `v1=${HEX}`] },
    { "x-other-signature": "sha256=MDEyMzQ1Njc4OQ==" },
  ])("reads the body with %j, to say what is wrong", async (headers) => {
    expect(await refusal(head({ headers }))).toBeUndefined();
  });

  it("names the path before the method, that before the signature, and that before the encoding", async () => {
    const gzip = encoded("gzip", {});
    expect(await refusal(head({ target: "/", method: "GET", ...gzip }))).toBe("wrong_path");
    expect(await refusal(head({ method: "GET", ...gzip }))).toBe("wrong_method");
    expect(await refusal(head(gzip))).toBe("signature_missing");
    expect(await refusal(head(encoded("gzip")))).toBe("content_encoding");
  });

  it.each(["gzip", "x-gzip", "deflate", "BR", "zstd", "compress", "x-Compress"])(
    "refuses the coding %s, by itself and in any list",
    async (coding) => {
      const lists = [
        `identity, ${coding}`,
        `${coding},${coding}`,
        `\tutf-8 ,${coding} `,
        `;${coding};q=1`,
      ];
      for (const encoding of [coding, ...lists, `"${coding}"`])
        expect(await refusal(head(encoded(encoding)))).toBe("content_encoding");
      const several = { headers: { ...SIGNED, "content-encoding": ["identity", coding] } };
      expect(await refusal(head(several as never))).toBe("content_encoding");
    },
  );

  it.each(["", " ", "identity", "IDENTITY", "identity, identity", "UTF-8", "utf8", "none", "8bit"])(
    "reads a body whose encoding is %j, which no coding is",
    async (encoding) => {
      expect(await refusal(head(encoded(encoding)))).toBeUndefined();
    },
  );

  it.each([
    "base64",
    "application/json",
    "x-nonsense",
    "gzipped",
    "brotli",
    "é\u0000",
    "x".repeat(9000),
  ])("verifies the bytes as they are for the encoding %s", async (encoding) => {
    expect(await refusal(head(encoded(encoding)))).toBeUndefined();
  });
});
