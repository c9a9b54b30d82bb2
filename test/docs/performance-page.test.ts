import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CONTESTANTS } from "../../tools/bench/contestants/all.ts";
import { SECTIONS } from "../../tools/bench/form.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");
const page = readFileSync(join(docs, "performance.md"), "utf8");

it("the page names every section of the bench", () => {
  const [, named = ""] = /some sections: (.*)/.exec(page) ?? [];
  expect(named.split(", ")).toEqual([...SECTIONS]);
});

it("the page says what every contestant does", () => {
  const row = (name: string) => name.replace(/, no store$/, "");
  expect(Object.keys(CONTESTANTS).filter((name) => !page.includes(row(name)))).toEqual([]);
});

it("the plots on the page exist", () => {
  const shown = [...page.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((path) => !existsSync(join(docs, path)))).toEqual([]);
});
