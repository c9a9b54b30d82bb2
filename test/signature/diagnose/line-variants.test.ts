import { describe, expect, it } from "vitest";
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
