import { expect, it } from "vitest";
import { compileWithPackage } from "../docs/compile-with-package.ts";
import { codeOf, pagesIn, readPage } from "../docs/markdown.ts";
import { importsRecipePackage } from "../docs/recipe-blocks.ts";
import { skip } from "../strangers/programs.ts";
import { MODULES, NO_PACKAGES } from "./install.ts";

const blocks = pagesIn("docs").flatMap((page) =>
  codeOf(readPage(page), "ts").filter(importsRecipePackage),
);

it("the recipes on the pages compile with the packages that they import", {
  timeout: 120_000,
}, async (context) => {
  if (NO_PACKAGES !== undefined) return skip(context, NO_PACKAGES);
  expect(blocks.length).toBeGreaterThan(3);
  // One that changes the package's types is compiled alone.
  const groups = [
    blocks.filter((code) => !code.includes('declare module "hookporter"')),
    ...blocks.filter((code) => code.includes('declare module "hookporter"')).map((code) => [code]),
  ];
  for (const group of groups) {
    const files = group.map((code, index): [string, string] => [`recipe-${index + 1}.ts`, code]);
    expect(await compileWithPackage(new Map(files), MODULES)).toBe("");
  }
});
