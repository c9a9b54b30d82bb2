import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  afterBracket,
  codeOf,
  insertLines,
  onlyMatch,
} from "../../../../src/cli/scaffold/into/code.ts";
import { addDependency } from "../../../../src/cli/scaffold/into/manifest-text.ts";
import { withoutTypes } from "../../../../src/cli/scaffold/into/without-types.ts";
import { root } from "../../../docs/markdown.ts";

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

it("the bracket that closes is found over nested ones, and a pattern that matches twice has no only match", () => {
  expect(afterBracket("f(a, { b: [c()] }) + (d)", 2)).toBe(18);
  expect(afterBracket("f(a", 2)).toBeUndefined();
  expect(onlyMatch("a b", /a/g)?.index).toBe(0);
  expect(onlyMatch("a a", /a/g)).toBeUndefined();
});

const add = (text: string, name = "hookporter") =>
  addDependency(text, "dependencies", name, "^1.0.0");

it("a dependency goes where it belongs by name, and all else keeps its order and indentation", () => {
  const text =
    '{\n    "name": "x",\n    "dependencies": {\n        "b": "1",\n        "z": "2"\n    },\n    "a": 1\n}\n';
  expect(add(text)).toBe(text.replace('"b": "1",', '"b": "1",\n        "hookporter": "^1.0.0",'));
  expect(add(text, "a")).toBe(text.replace('"b": "1",', '"a": "^1.0.0",\n        "b": "1",'));
  expect(add(text, "zz")).toBe(text.replace('"z": "2"', '"z": "2",\n        "zz": "^1.0.0"'));
});

it("line ends and a byte order mark stay", () => {
  expect(add('\uFEFF{\r\n\t"dependencies": {\r\n\t\t"a": "1"\r\n\t}\r\n}')).toBe(
    '\uFEFF{\r\n\t"dependencies": {\r\n\t\t"a": "1",\r\n\t\t"hookporter": "^1.0.0"\r\n\t}\r\n}',
  );
});

it("a section that is empty or missing is filled", () => {
  const filled = '{\n  "name": "x",\n  "dependencies": {\n    "hookporter": "^1.0.0"\n  }\n}\n';
  expect(add('{\n  "name": "x",\n  "dependencies": {}\n}\n')).toBe(filled);
  expect(add('{\n  "name": "x"\n}\n')).toBe(filled);
});

it("a package that is there already stays as it is", () => {
  const text = '{\n  "dependencies": {\n    "hookporter": "file:../x.tgz"\n  }\n}\n';
  expect(add(text)).toBe(text);
});

it("a section of the same name in another one is left alone, and a text on one line is broken into lines as by npm", () => {
  const nested = '{\n  "pnpm": {\n    "dependencies": {\n      "a": "1"\n    }\n  }\n}\n';
  expect(JSON.parse(add(nested))).toEqual({
    pnpm: { dependencies: { a: "1" } },
    dependencies: { hookporter: "^1.0.0" },
  });
  expect(add('{"name":"x","dependencies":{"express":"5"}}\n')).toBe(
    '{\n  "name": "x",\n  "dependencies": {\n    "express": "5",\n    "hookporter": "^1.0.0"\n  }\n}\n',
  );
});

const templates = join(root, "templates");
const files = ["_shared", "_into", "nextjs"].flatMap((layer) =>
  readdirSync(join(templates, layer), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(layer, path)),
);

it.each(files)("%s without its types is the same JavaScript", async (path) => {
  const text = readFileSync(join(templates, path), "utf8");
  const options = { tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } } };
  const expected = await transform(text, { ...options, loader: "ts" });
  const got = await transform(withoutTypes(text), { ...options, loader: "js" });
  expect(got.code).toBe(expected.code);
});
