import { describe, expect, it } from "vitest";
import { refuseHead } from "../../src/receiver/admit.ts";
import type { Incoming } from "../../src/receiver/incoming.ts";

const head = (parts: Partial<Incoming> = {}): Incoming => ({
  ...{ method: "POST", target: "/webhooks", path: "/webhooks", headers: {} },
  read: () => Promise.reject(new Error("expected the body not to be read")),
  ...parts,
});
const encoded = (encoding: string) => ({ headers: { "content-encoding": encoding } });

describe("refuseHead", () => {
  it.each([undefined, "", "identity"])(
    "accepts a POST to the path with the content encoding %j",
    (encoding) => {
      expect(refuseHead(head(encoding === undefined ? {} : encoded(encoding)))).toBeUndefined();
    },
  );

  it.each(["gzip", "br", "identity, gzip"])("refuses the content encoding %j", (encoding) => {
    expect(refuseHead(head(encoded(encoding)))).toBe("content_encoding");
  });

  it("names the path before the method, and the method before the encoding", () => {
    const gzip = encoded("gzip");
    expect(refuseHead(head({ target: "/", method: "GET", ...gzip }))).toBe("wrong_path");
    expect(refuseHead(head({ method: "GET", ...gzip }))).toBe("wrong_method");
    expect(refuseHead(head(gzip))).toBe("content_encoding");
  });
});
