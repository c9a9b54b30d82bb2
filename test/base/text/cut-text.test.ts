import { expect, it } from "vitest";
import { cutText } from "../../../src/base/text/cut-text.ts";

it.each([
  ["ASCII", "x".repeat(10_000_000)],
  ["two-byte letters", "é".repeat(1_000_000)],
  ["three-byte letters", "€".repeat(1_000_000)],
  ["emoji", "😀".repeat(1_000_000)],
  ["emoji after one letter", `a${"😀".repeat(1000)}`],
  ["emoji after two letters", `ab${"😀".repeat(1000)}`],
  ["emoji after three letters", `abc${"😀".repeat(1000)}`],
  ["one byte too many", "x".repeat(2049)],
  ["few letters of many bytes", "€".repeat(683)],
])("a text of %s is truncated to whole characters within the limit", (_, text) => {
  const cut = cutText(text, 2048);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2048);
  expect(Buffer.byteLength(cut)).toBeGreaterThan(2000);
  expect(cut).not.toContain("\ufffd");
  expect([text.startsWith(cut.slice(0, -1)), cut.at(-1)]).toEqual([true, "…"]);
});

it.each(["x".repeat(2048), "😀".repeat(512)])("a text that just fits stays whole", (text) => {
  expect(cutText(text, 2048)).toBe(text);
});

it("a replacement character of the text itself stays", () => {
  expect(cutText(`\ufffd${"x".repeat(5000)}`, 2048)).toMatch(/^\ufffdx+…$/);
});
