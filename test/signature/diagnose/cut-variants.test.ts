import { describe, expect, it } from "vitest";
import { cutVariants, nulVariants } from "../../../src/signature/diagnose/cut-variants.ts";
import { named } from "./named.ts";

const cut = (text: string) => cutVariants(Buffer.from(text), text);
const CHARACTERS = "body_cut: as many bytes as it has characters";
const LONG = "x".repeat(1100);

describe("cutVariants", () => {
  it.each([
    ["a\nb", "a", "body_cut: the first line"],
    ["a\nb", "a\n", "body_cut: the first line, with its line break"],
    ["a\n\n b", "a", "body_cut: the first line"],
    ["éab", "éa", CHARACTERS],
    ["\u{1f600}ab", "\u{1f600}", CHARACTERS],
    [LONG, "x".repeat(256), "body_cut: 256 bytes"],
    [LONG, "x".repeat(1024), "body_cut: 1024 bytes"],
  ])("names what makes the end of %j be that of %j: %s", (text, signed, causes) => {
    expect(named(cut(text), signed)).toEqual([causes]);
  });

  it("counts characters of two units once, too", () => {
    expect(named(cut("\u{1f600}abc"), Buffer.from("\u{1f600}abc").subarray(0, 4))).toEqual([
      CHARACTERS,
    ]);
    expect(named(cut("\u{1f600}abc"), Buffer.from("\u{1f600}abc").subarray(0, 5))).toEqual([
      CHARACTERS,
    ]);
  });

  it.each(["", "a", "abc\n", "a\n \n", "\n", "x".repeat(256), `${"x".repeat(256)}\n`])(
    "cuts off nothing of %j",
    (text) => {
      expect(cut(text)).toEqual([]);
    },
  );

  it("cuts bytes that are no text at the ends of buffers alone", () => {
    const body = Buffer.alloc(300, 0xe9);
    expect(cutVariants(body, undefined).map(({ bytes }) => bytes()?.byteLength)).toEqual([256]);
  });
});

describe("nulVariants", () => {
  it.each([
    ["abc\0\0", "abc", "nuls_at_end: none on the signing side"],
    ["abc", "abc\0", "nuls_at_end: up to 4 bytes on the signing side"],
    ["abcd", "abcd\0", "nuls_at_end: up to 5 bytes on the signing side"],
    ["ab\0cd", `ab\0cd${"\0".repeat(251)}`, "nuls_at_end: up to 256 bytes on the signing side"],
    ["a", `a${"\0".repeat(65_535)}`, "nuls_at_end: up to 65536 bytes on the signing side"],
  ])("names what makes the end of %j be that of %j: %s", (text, signed, causes) => {
    expect(named(nulVariants(Buffer.from(text)), signed)).toEqual([causes]);
  });

  it("has each end once, none that is there, none beyond 65 536 bytes and none of nothing", () => {
    const lengths = (text: string) =>
      nulVariants(Buffer.from(text)).map(({ bytes }) => bytes()?.byteLength);
    expect(lengths("abc\0\0\0\0\0").slice(0, 4)).toEqual([3, 4, 256, 512]);
    expect(Math.max(...lengths("a").map(Number))).toBe(65_536);
    expect(lengths("\0\0")).toEqual([]);
    expect(lengths("x".repeat(65_535))).toEqual([65_536]);
    expect(lengths("a b \0")).toContain(4);
  });
});
