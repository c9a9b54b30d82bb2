import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Sources } from "../../../../tools/bench/profile/sources.ts";

const folder = mkdtempSync(join(tmpdir(), "hookporter-"));
let code = "";

beforeAll(async () => {
  writeFileSync(join(folder, "one.ts"), "export function first(): number {\n  return 1;\n}\n");
  writeFileSync(
    join(folder, "two.ts"),
    'import { first } from "./one.ts";\nexport function second() { return first(); }\n',
  );
  const bundle = await rolldown({ cwd: folder, input: "two.ts" });
  const { output } = await bundle.write({ file: join(folder, "bundle.js"), sourcemap: "hidden" });
  await bundle.close();
  code = output[0].code;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A function's position in the bundle, as in a profile. */
function placeOf(name: string) {
  const lineNumber = code.split("\n").findIndex((line) => line.includes(`function ${name}(`));
  const columnNumber = code.split("\n")[lineNumber]?.indexOf("(") ?? -1;
  return {
    functionName: name,
    url: pathToFileURL(join(folder, "bundle.js")).href,
    lineNumber,
    columnNumber,
  };
}

it("the source file of a bundled function is named", () => {
  const sources = new Sources(folder);
  expect(sources.fileOf(placeOf("first"))).toBe("one.ts");
  expect(sources.fileOf(placeOf("second"))).toBe("two.ts");
});

it("files without a source map keep their names, and Node's own are named as Node does", () => {
  const sources = new Sources(folder);
  const frame = { functionName: "any", lineNumber: 3, columnNumber: 1 };
  const url = pathToFileURL(join(folder, "node_modules", "express", "index.js")).href;
  expect(sources.fileOf({ ...frame, url })).toBe("node_modules/express/index.js");
  expect(sources.fileOf({ ...frame, url: "node:_http_server" })).toBe("node:_http_server");
  expect(sources.fileOf({ ...frame, url: "" })).toBe("");
});
