import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SIGNATURE_HEADER, sign } from "../../src/entries/index.ts";
import { SIGNATURE_PREFIX } from "../../src/signature/signature-format.ts";
import { readVectors } from "./vectors.ts";

describe("sign", () => {
  it("has vectors of three other programs to compare with", () => {
    const files = new Set(readVectors().map(({ name }) => name.split(" ")[0]));
    expect([...files].sort()).toEqual(["github.json", "openssl.json", "python.json"]);
  });

  it.each(readVectors())("agrees with $name", ({ secret, body, signature }) => {
    expect(sign(body, secret)).toBe(signature);
  });

  it("accepts the secret as a string, bytes or a key", () => {
    const secret = "clé secrète à rallonge €";
    const body = Buffer.from("body");
    const bytes = Buffer.from(secret, "utf8");
    expect(sign(body, bytes)).toBe(sign(body, secret));
    expect(sign(body, createSecretKey(bytes))).toBe(sign(body, secret));
  });

  it("signs only the part of a buffer that a view covers", () => {
    const whole = Buffer.from("..body..");
    expect(sign(whole.subarray(2, 6), "k")).toBe(sign(Buffer.from("body"), "k"));
  });

  it("uses the header and prefix of the service description", () => {
    expect([SIGNATURE_HEADER, SIGNATURE_PREFIX]).toEqual(["x-service-signature", "sha256="]);
  });
});
