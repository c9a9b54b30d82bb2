import { describe, expect, it } from "vitest";
import { cutVariants, nulVariants } from "../../../src/signature/diagnose/cut-variants.ts";
import { formVariants } from "../../../src/signature/diagnose/form-variants.ts";
import { htmlVariants } from "../../../src/signature/diagnose/html-variants.ts";
import { lineVariants } from "../../../src/signature/diagnose/line-variants.ts";
import { named } from "./named.ts";

const BOM = "\uFEFF";

describe("lineVariants", () => {
  it.each([
    ["a", "a\n", "newline_at_end: one on the signing side"],
    ["a", "a\r\n", "newline_at_end: one on the signing side"],
    ["a\n", "a", "newline_at_end: none on the signing side"],
    ["a\n\n", "a", "newline_at_end: none on the signing side"],
    ["a\r\n", "a\n", "newline_at_end: LF on the signing side"],
    ["a\n", "a\r\n", "newline_at_end: CRLF on the signing side"],
    ["a\r\nb", "a\nb", "line_endings: LF on the signing side"],
    ["a\nb\n", "a\r\nb\r\n", "line_endings: CRLF on the signing side"],
    ["a\n\nb\r\n", "ab", "line_endings: none on the signing side"],
    [
      "a\nb",
      "a\r\nb\n",
      "line_endings: CRLF on the signing side + newline_at_end: one on the signing side",
    ],
    [
      "a\nb\n",
      "a\r\nb\n",
      "line_endings: CRLF on the signing side + newline_at_end: LF on the signing side",
    ],
    [
      "a\nb\n",
      "ab\n",
      "line_endings: none on the signing side + newline_at_end: one on the signing side",
    ],
    ["a", `${BOM}a`, "byte_order_mark: one on the signing side"],
    [`${BOM}a`, "a", "byte_order_mark: none on the signing side"],
    [
      `${BOM}a\n`,
      "a",
      "byte_order_mark: none on the signing side + newline_at_end: none on the signing side",
    ],
    [`${BOM}a\n`, `${BOM}a`, "newline_at_end: none on the signing side"],
    ["a", Buffer.from("a", "utf16le"), "charset: signed as UTF-16"],
    [`${BOM}a`, Buffer.from("a", "utf16le"), "charset: signed as UTF-16"],
    ["a", Buffer.from(`${BOM}a`, "utf16le"), "charset: signed as UTF-16 with a byte order mark"],
    [
      "a",
      Buffer.from(`${BOM}a\n`, "utf16le"),
      "charset: signed as UTF-16 with a byte order mark + newline_at_end: one on the signing side",
    ],
  ])("names what makes %j from %j: %s", (text, signed, causes) => {
    expect(named(lineVariants(text), signed)).toEqual([causes]);
  });

  it.each(["a", "a\n", "a\nb\r\n", `${BOM}a`])("has no variant that leaves %j as it is", (text) => {
    expect(named(lineVariants(text), text)).toEqual([]);
  });
});

describe("formVariants", () => {
  const THERE = "body_form: as a form on the signing side";
  const HERE = "body_form: as a form on this side";

  it.each([
    ["a b/(é)'*!", "payload=a+b%2F%28%C3%A9%29%27*%21", THERE],
    ["a b/(é)'*!", "a+b%2F%28%C3%A9%29%27*%21", THERE],
    ["a b/(é)'*!", "a%20b%2F(%C3%A9)'*!", THERE],
    ["a b/(é)'*!", "a%20b%2F%28%C3%A9%29%27%2A%21", THERE],
    ["a b/(é)'*!", "a%20b/%28%C3%A9%29%27%2A%21", THERE],
    ["a+b", "a b", "body_form: its + became spaces on the signing side"],
    ["a%2Bb+c", "a+b+c", "body_form: percent-decoded on the signing side"],
    ["a%2Bb+c", "a+b c", "body_form: decoded as a form on the signing side"],
    ["a b c", "a+b+c", "body_form: its + became spaces on the way here"],
    ["payload=a%2Bb+c", "a+b c", HERE],
    ["a%2Bb+c=", "a+b c", HERE],
    ["%7B%22a%22%3A1%7D", '{"a":1}', HERE],
    ["payload=", "", HERE],
    ["a=1&payload=b", "b", HERE],
    ["a%2Bb+c", "a+b c", HERE],
  ])("names what makes %j from %j: %s", (text, signed, causes) => {
    expect(named(formVariants(text), signed)).toContain(causes);
  });

  it.each([
    ["a b+c", "a+b+c"],
    ["ab", "ab"],
    ["x payload=a", "a"],
    ["x payload=a", ""],
    ["a%2Bb c", "a+b c"],
    ["a+b=", "a b"],
  ])("does not say that %j was %j as a form on this side", (text, signed) => {
    expect(
      named(formVariants(text), signed).filter((causes) => /this side|way here/.test(causes)),
    ).toEqual([]);
  });

  it("makes nothing of what cannot be encoded or decoded", () => {
    for (const text of ["%", "a%zz", "\ud800"])
      for (const { bytes } of formVariants(text)) expect(() => bytes()).not.toThrow();
    expect(
      formVariants("plain").some(({ causes }) =>
        /became spaces on the signing|decoded/.test(`${causes[0]?.detail}`),
      ),
    ).toBe(false);
  });
});

describe("htmlVariants", () => {
  const THERE = "body_html: with entities on the signing side";
  const HERE = "body_html: with entities on this side";

  it.each([
    [`&<>"'`, "&amp;&lt;&gt;&quot;&#39;", THERE],
    [`&<>"'`, "&amp;&lt;&gt;&quot;&#039;", THERE],
    [`&<>"'`, "&amp;&lt;&gt;&quot;&#x27;", THERE],
    [`&<>"'`, "&amp;&lt;&gt;&quot;'", THERE],
    [`&<>"'`, "&amp;&lt;&gt;&#34;&#39;", THERE],
    [`"<"`, "&#34;&lt;&#34;", THERE],
    [`"<"`, "&quot;&lt;&quot;", THERE],
    ["&AMP;&lt;&gt;&quot;&apos;", `&<>"'`, HERE],
    ["&#38;&#x26;&#127;&#128;&#xe9;&amp;lt;", "&&\x7f&#128;&#xe9;&lt;", HERE],
  ])("names what makes %j from %j: %s", (text, signed, causes) => {
    expect(named(htmlVariants(text), signed)).toEqual([causes]);
  });

  it("finds no entities in a text without them", () => {
    for (const text of ["a", "a&b", "a; b", "& amp;"])
      expect(htmlVariants(text).map(({ causes }) => causes[0]?.detail)).not.toContain(
        "with entities on this side",
      );
  });
});

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
