import { expect, it } from "vitest";
import { compileWithPackage } from "./compile-with-package.ts";
import { codeOf, pagesIn, readPage, rowsOf } from "./markdown.ts";

const pages = pagesIn("docs/frameworks");
const index = readPage("docs/frameworks/index.md");

it("the index lists every page of a framework once, and says how each was tried", () => {
  const rows = rowsOf(index.slice(0, index.indexOf("\n## ")));
  const listed = rows.map(([name = ""]) => `docs/frameworks/${/\]\((.+)\)/.exec(name)?.[1]}`);
  const others = ["docs/frameworks/index.md", "docs/frameworks/write-an-adapter.md"];
  expect([...listed].sort()).toEqual(pages.filter((page) => !others.includes(page)));
  expect(rows.filter(([, how = ""]) => how === "")).toEqual([]);
});

it("the JavaScript of the pages imports only what the package exports", { timeout: 60_000 }, async () => {
  const imports =
    pages
      .flatMap((page) => codeOf(readPage(page), "js"))
      .join("\n")
      .match(/^import .* from "hookporter.*";$/gm) ?? [];
  expect(imports.length).toBeGreaterThan(5);
  const files = new Map([["imports.ts", `${[...new Set(imports)].join("\n")}\n`]]);
  expect(await compileWithPackage(files)).toBe("");
});
