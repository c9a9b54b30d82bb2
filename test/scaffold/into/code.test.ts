import fc from "fast-check";
import { expect, it } from "vitest";
import { afterBracket, codeOf, insertLines, onlyMatch } from "../../../src/scaffold/into/code.ts";

it("comments, templates, regular expressions and most strings are no code", () => {
  const text = [
    "const a = 'x // y'; // app.listen()",
    "/* app.listen( */ const b = /[/'\"]app.listen(/g;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    "const c = `app.listen( ${d ? `}` : app.use({})} app.listen(`;",
    'import express from "express";',
    "const half = (1 + 2) / 3 / 4;",
  ].join("\n");
  const code = codeOf(text);
  expect(code).toHaveLength(text.length);
  expect(code).not.toContain("listen");
  expect(code).toContain("app.use({})");
  expect(code).toContain('import express from "express";');
  expect(code).toContain("const half = (1 + 2) / 3 / 4;");
});

it("any text keeps its length and its lines", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."`'\"/*\\\n{}$[]()ab ") }), (text) => {
      const code = codeOf(text);
      expect(code).toHaveLength(text.length);
      expect(code.split("\n").length).toBe(text.split("\n").length);
    }),
  );
});

it("lines are inserted at their places, with the line ends of the text", () => {
  const lines = [
    { at: 3, lines: ["x"] },
    { at: 3, lines: ["y", "z"] },
    { at: 7, lines: ["last"] },
  ];
  expect(insertLines("a\r\nb\r\nc", lines)).toBe("a\r\nx\r\ny\r\nz\r\nb\r\nc\r\nlast\r\n");
});

it("a pattern that matches twice has no only match", () => {
  expect(onlyMatch("a b", /a/g)?.index).toBe(0);
  expect(onlyMatch("a a", /a/g)).toBeUndefined();
});

it("the bracket that closes is found over nested ones", () => {
  expect(afterBracket("f(a, { b: [c()] }) + (d)", 2)).toBe(18);
  expect(afterBracket("f(a", 2)).toBeUndefined();
});
