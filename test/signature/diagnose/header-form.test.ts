import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readForms } from "../../../src/signature/diagnose/header-form.ts";

const DIGEST = createHmac("sha256", "a").update("b").digest();
const HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0".repeat(2);
const bytes = (separator: string) => HEX.replace(/..(?=.)/g, `$&${separator}`);

/** How a value is read: for each form, its hash function, its digits and its codes. */
function read(header: string | readonly string[]): readonly string[] {
  const shown = (hex: string) =>
    hex === HEX ? "HEX" : hex === DIGEST.toString("hex") ? "DIGEST" : hex;
  return readForms(header).forms.map(({ algorithm, hex, causes, print }) =>
    [
      `${algorithm} ${shown(hex)}${print === undefined ? "" : " printed"}`,
      ...causes.map(({ code }) => code),
    ].join(),
  );
}

describe("readForms", () => {
  it("takes a signature for absent or another service's only if every value is", () => {
    const digest = `sha256=${HEX}`;
    for (const values of [
      ["undefined", digest],
      [`v0=${HEX}`, digest],
    ])
      expect(readForms(values).evident).toBeUndefined();
    expect(readForms(["undefined", digest]).forms).toHaveLength(1);
  });

  it("knows the formats of other services, and what is no signature at all", () => {
    const lists = ["t=1768469400,v1=abc", "a=b; t=1,v1=2", "v1,abc", "v1a,abc="];
    for (const header of [...lists, 'keyid="a"', 'a, signature="b"'])
      expect(readForms(header)).toMatchObject({ forms: [], evident: { code: "other_scheme" } });
    expect(readForms(`v0=${HEX}`).evident).toMatchObject({ code: "other_scheme" });
    const words = ["undefined", "null", "None", "NaN", "nil", "true", "sha256=false", '""', ""];
    for (const header of [...words, "sha256=[object Promise]", ["", "sha256="]])
      expect(readForms(header)).toMatchObject({ forms: [], evident: { code: "digest_absent" } });
    const almost = [`v0=${HEX}0`, `v0=${HEX.toUpperCase()}`, `a v0=${HEX}`, "sha256=nullable"];
    const others = [`at=1,v1=${HEX}`, `t=,v1=${HEX}`, "thekeyid", "nobody", "[object Object"];
    for (const header of [...almost, ...others, `sha256=${HEX}`, `${" ".repeat(1000)}t=1,v1=2`])
      expect([header, readForms(header).evident]).toEqual([header, undefined]);
  });

  it("reads 64 hex digits in one way only, and the base64 of as many characters as a SHA-384", () => {
    expect(read(`sha256=${HEX}`)).toEqual(["sha256 HEX"]);
    const sha384 = createHmac("sha384", "a").update("b").digest();
    expect(sha384.toString("base64")).toHaveLength(HEX.length);
    expect(read(`sha384=${sha384.toString("base64")}`)).toEqual([
      `sha384 ${sha384.toString("hex")},digest_algorithm,digest_base64`,
    ]);
  });

  it.each([
    [HEX, "prefix_missing"],
    [`sha256=${HEX.toUpperCase()}`, "digest_upper_case"],
    [`SHA256=${HEX.toUpperCase()}`, "digest_upper_case"],
    [`SHA256=${HEX}`, "digest_upper_case"],
    [`sha256=sha256=${HEX}`, "prefix_doubled"],
    [`sha256=sha1=${HEX}`, "prefix_wrong"],
    [`sha-256=${HEX}`, "prefix_wrong"],
    [`HMAC-SHA256: ${HEX}`, "digest_upper_case,prefix_wrong"],
    [`hmac_sha256 = ${HEX}`, "prefix_wrong"],
    [`v1=${HEX}`, "prefix_wrong"],
    [`signature:${HEX}`, "prefix_wrong"],
    [`'sha256=${HEX}'`, "header_extra_text"],
    [` sha256=${HEX}`, "header_extra_text"],
    [`b'${HEX}'`, "header_extra_text,prefix_missing"],
    [`sha256=${HEX} *-`, "header_extra_text"],
    [`(stdin)= ${HEX.toUpperCase()}`, "digest_upper_case,prefix_missing,header_extra_text"],
    [`a ${bytes(":")} b`, "digest_separated,prefix_missing,header_extra_text"],
    [`sha256=${bytes(":")}`, "digest_separated"],
    [`sha256=${bytes("-").toUpperCase()}`, "digest_separated"],
    [`sha256=${bytes(",")}`, "digest_separated"],
    [`sha256=0x${bytes(", 0x")}`, "digest_separated"],
    [`sha256=0x${bytes(",0x")}`, "digest_separated"],
    [`sha256=${bytes("\\x")}`, "digest_separated"],
    [`sha256=0x${HEX}`, "digest_separated"],
    [`sha256=\\x${HEX}`, "digest_separated"],
    [`sha256=${Buffer.from(HEX).toString("base64")}`, "digest_base64"],
  ])("reads the digest in %s: %s", (header, codes) => {
    const [first, ...others] = read(header);
    expect([first, others]).toEqual([codes === "" ? "sha256 HEX" : `sha256 HEX,${codes}`, []]);
  });

  it.each([
    [`sha256=${DIGEST.toString("base64")}`, "digest_base64"],
    [DIGEST.toString("base64url"), "digest_base64url,prefix_missing"],
    [`sha256=b"${DIGEST.toString("base64")}"`, "digest_base64,header_extra_text"],
    [[`sha256=${DIGEST.toString("hex")}`], "header_repeated"],
  ])("reads the base64 in %s: %s", (header, codes) => {
    expect(read(header)).toEqual([`sha256 DIGEST,${codes}`]);
  });

  it("reads fewer digits as the start of a digest, or as one that lost zeros, down to eight", () => {
    expect(read(`sha256=${HEX.slice(0, 8)}`)).toEqual([
      "sha256 0f1e2d3c,digest_truncated",
      "sha256 0f1e2d3c printed,digest_zeros_lost",
      "sha256 0f1e2d3c printed,digest_zeros_lost",
    ]);
    expect(read(`sha256=${HEX.slice(0, 7)}`)).toEqual([]);
    expect(read(`sha256=${HEX}0`)).toEqual([]);
  });

  it("reads a digest of another hash function by its length", () => {
    for (const [algorithm, digits] of [
      ["sha1", 40],
      ["sha384", 96],
      ["sha512", 128],
    ] as const) {
      const hex = "a1".repeat(digits / 2);
      const form = `${algorithm} ${hex},digest_algorithm`;
      for (const prefix of [algorithm, "sha256"]) expect(read(`${prefix}=${hex}`)[0]).toBe(form);
      expect(read(`x y ${hex} z`)[0]).toBe(`${form},prefix_missing,header_extra_text`);
    }
  });

  it.each([
    `sha256=${bytes(":").slice(0, -3)}`,
    `sha256=0x${HEX.slice(4)}`,
    `sha256=b'${HEX.slice(1)}'`,
    `sha256=${HEX.slice(0, -1)}g!`,
    `${HEX.slice(1)}!${HEX.slice(1)}`,
    `sha256=${DIGEST.toString("base64").slice(4)}%3D`,
    "a b",
  ])("reads no digest in %s", (header) => {
    expect(read(header)).toEqual([]);
  });

  it("reads no more than four values", () => {
    const values = Array.from({ length: 5 }, () => `sha256=${HEX}`);
    expect(read(values)).toHaveLength(4);
    expect(read(values.join(", "))).toHaveLength(4);
    expect(read(values.slice(0, 2).join(","))).toEqual([
      "sha256 HEX,header_repeated",
      "sha256 HEX,header_repeated",
    ]);
    expect(read(`sha256=${HEX}, short`)).toEqual(["sha256 HEX,header_extra_text"]);
  });
});
