import { expect, it } from "vitest";
import { compileWithPackage } from "./compile-with-package.ts";
import { codeOf, readPage, rowsOf, sectionsOf } from "./markdown.ts";

const page = readPage("docs/recipes.md");

it("the page says of each recipe whether it was tried", () => {
  const tried = rowsOf(page.slice(0, page.indexOf("\n## "))).map(([name = ""]) => /\[(.+)\]/.exec(name)?.[1]);
  const recipes = [...sectionsOf(page).keys()].filter((heading) => heading !== "Recipes");
  expect(tried).toEqual(recipes);
});

it("the page's JavaScript imports only what the package exports", { timeout: 60_000 }, async () => {
  const imports =
    codeOf(page, "js")
      .join("\n")
      .match(/^import .* from "hookporter.*";$/gm) ?? [];
  expect(imports.length).toBeGreaterThan(5);
  const files = new Map([["imports.ts", `${[...new Set(imports)].join("\n")}\n`]]);
  expect(await compileWithPackage(files)).toBe("");
});
