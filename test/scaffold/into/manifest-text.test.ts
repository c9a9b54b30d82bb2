import { expect, it } from "vitest";
import { addDependency } from "../../../src/scaffold/into/manifest-text.ts";

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
