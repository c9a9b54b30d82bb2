import { expect, it } from "vitest";
import { printable } from "../../src/cli/output.ts";

it("control characters, escape sequences and direction marks are escaped", () => {
  expect(printable("a\u001b[31mb\u0007\r\n\u202e\u0000\ud800")).toBe(
    "a\\u001b[31mb\\u0007\\u000d\\u000a\\u202e\\u0000\\ud800",
  );
});

it("long texts are truncated, others stay unchanged", () => {
  expect(printable("é".repeat(300), 10)).toBe(`${"é".repeat(10)}…`);
  expect(printable("rue de l'Église, 🏠")).toBe("rue de l'Église, 🏠");
});
