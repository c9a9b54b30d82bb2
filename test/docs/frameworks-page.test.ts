import { expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../src/entries/index.ts";
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

it("the JavaScript of the pages imports only what the package exports", {
  timeout: 60_000,
}, async () => {
  const imports =
    pages
      .flatMap((page) => codeOf(readPage(page), "js"))
      .join("\n")
      .match(/^import .* from "hookporter.*";$/gm) ?? [];
  expect(imports.length).toBeGreaterThan(5);
  const files = new Map([["imports.ts", `${[...new Set(imports)].join("\n")}\n`]]);
  expect(await compileWithPackage(files)).toBe("");
});

it("the budgets of the page on Vercel suffice for the time limit of its handlers", async () => {
  const page = readPage("docs/frameworks/vercel.md");
  const numbersOf = (name: string) =>
    [...page.matchAll(new RegExp(`\\b${name}: ([\\d_]+)`, "g"))].map(([, number = ""]) =>
      Number(number.replaceAll("_", "")),
    );
  const [handlerTimeout = Number.NaN] = numbersOf("handlerTimeout");
  const secret = "a secret of good length";
  const receiver = createReceiver({ secret, inbox: "memory:", role: "receive", handlerTimeout });
  receiver.on("*", () => {});
  await receiver.start();
  onTestFinished(() => receiver.close());
  const budgets = numbersOf("budget");
  expect(budgets).toHaveLength(2);
  for (const budget of budgets)
    expect(await receiver.drain({ budget })).toMatchObject({ handled: 0 });
});
