import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { expect, it } from "vitest";
import { withoutTypes } from "../../../src/scaffold/into/without-types.ts";

const templates = join(import.meta.dirname, "..", "..", "..", "templates");
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
