import { describe, expect, it } from "vitest";
import {
  charsetVariants,
  lostByteVariants,
} from "../../../src/signature/diagnose/charset-variants.ts";
import { named } from "./named.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const hex = (digits: string) => Buffer.from(digits, "hex");
const BOM = "\uFEFF";
const UTF16 = Buffer.from("ab\n", "utf16le");
const EITHER = "Latin-1 or Windows-1252";

/** The variants of a text, or of bytes that are no UTF-8. */
const variantsOf = (body: string | Buffer) =>
  typeof body === "string"
    ? charsetVariants(Buffer.from(body), body)
    : charsetVariants(body, undefined);

describe("charsetVariants", () => {
  it.each([
    [latin1("é"), "é", `charset: sent as ${EITHER}`],
    [hex("80e9"), "€é", "charset: sent as Windows-1252"],
    [hex("80e9"), "\x80é", "charset: sent as Latin-1"],
    [hex("9fe981"), "Ÿé\x81", "charset: sent as Windows-1252"],
    [latin1("é"), "é\n", `charset: sent as ${EITHER} + newline_at_end: one on the signing side`],
    [latin1("é"), "é\r\n", `charset: sent as ${EITHER} + newline_at_end: one on the signing side`],
    [latin1("é\r\n"), "é", `charset: sent as ${EITHER} + newline_at_end: none on the signing side`],
    [latin1("é\r\n"), "é\n", `charset: sent as ${EITHER} + newline_at_end: LF on the signing side`],
    [latin1("é"), "\uFFFD", "undecodable: on the signing side"],
    ["é", "Ã©", `charset: its UTF-8 read as ${EITHER} before it was signed`],
    ["à", "Ã\u00a0", `charset: its UTF-8 read as ${EITHER} before it was signed`],
    ["É", "Ã‰", "charset: its UTF-8 read as Windows-1252 before it was signed"],
    ["É", "Ã\x89", "charset: its UTF-8 read as Latin-1 before it was signed"],
    ["é", latin1("é"), `charset: signed as ${EITHER}`],
    ["é€", hex("e980"), "charset: signed as Windows-1252"],
    ["é\x81", hex("e981"), `charset: signed as ${EITHER}`],
    ["é\x80", hex("e980"), "charset: signed as Latin-1"],
    ["é", latin1("é\n"), `charset: signed as ${EITHER} + newline_at_end: one on the signing side`],
    ["Ã©", "é", `charset: its UTF-8 read as ${EITHER} on the way here`],
    ["Ã‰", "É", "charset: its UTF-8 read as Windows-1252 on the way here"],
    [UTF16, "ab\n", "charset: sent as UTF-16"],
    [UTF16, "ab", "charset: sent as UTF-16 + newline_at_end: none on the signing side"],
    [Buffer.from(`${BOM}é`, "utf16le"), "é", "charset: sent as UTF-16"],
  ])("names what makes %j from %j: %s", (body, signed, causes) => {
    expect(named(variantsOf(body), signed)).toContain(causes);
  });

  it.each(["a", "", "a\n", Buffer.from("abc"), Buffer.from("\0\0"), Buffer.from("a")])(
    "has none for %j",
    (body) => {
      expect(variantsOf(body)).toEqual([]);
    },
  );

  it("takes no odd number of bytes, and no others, for UTF-16", () => {
    const odd = Buffer.concat([UTF16, UTF16.subarray(0, 1)]);
    for (const body of [odd, ...["fffffeff", "feff61", "fefe0061", "ffff6100"].map(hex)]) {
      const details = variantsOf(body).map(({ causes }) => causes[0]?.detail);
      expect(details).not.toContain("sent as UTF-16");
    }
  });

  it("has no bytes for what an encoding lacks", () => {
    const made = (text: string) => variantsOf(text).map(({ causes }) => causes[0]?.detail);
    expect(made("€")).not.toContain("signed as Latin-1");
    expect(made("中").join()).not.toContain("signed as");
  });
});

describe("lostByteVariants", () => {
  it("tries each byte from 0x80 on in place of all that were lost", () => {
    const made = lostByteVariants("\uFFFDt\uFFFD").map(({ bytes }) => bytes() ?? "");
    const high = Array.from({ length: 128 }, (_, at) => at + 128);
    expect(made.map((bytes) => [...Buffer.from(bytes as string)])).toEqual(
      high.map((byte) => [byte, 0x74, byte]),
    );
    expect(lostByteVariants("text")).toEqual([]);
  });
});
