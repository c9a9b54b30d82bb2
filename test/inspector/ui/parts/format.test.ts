import { expect, it } from "vitest";
import { visible } from "../../../../src/inspector/ui/parts/format.ts";

it("characters that would hide or reorder text are escaped", () => {
  expect(visible("a\u202eb\u0000c\u001b[1m\ud800")).toBe("a\\u202eb\\u0000c\\u001b[1m\\ud800");
  expect(visible("a\n\tb")).toBe("a\\u000a\\u0009b");
  expect(visible("a\n\tb\r", { lines: true })).toBe("a\n\tb\\u000d");
  expect(visible("Żółć 😀 <b>")).toBe("Żółć 😀 <b>");
});
