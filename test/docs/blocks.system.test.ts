import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { compileWithPackage } from "./compile-with-package.ts";
import { pagesIn, readPage } from "./markdown.ts";
import { stepsOf } from "./run-page.ts";
import { blocksOf, userPages } from "./shell-blocks.ts";

const pages = ["README.md", "CONTRIBUTING.md", ...pagesIn("docs")];
/** Every fenced block, also those in lists, with its indentation removed. */
const blocks = pages.flatMap((page) =>
  [...readPage(page).matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = "", language = "", code = ""]) => ({
      page,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  ),
);
const LANGUAGES = "sh,ts,tsx,js,json,yaml,sql,text,html,ini,nginx,dockerfile,".split(",");

it("the code blocks of the pages are in known languages", () => {
  expect(blocks.length).toBeGreaterThan(100);
  const others = blocks.filter(({ language }) => !LANGUAGES.includes(language.split(" ")[0] ?? ""));
  expect(others.map(({ page, language }) => [page, language])).toEqual([]);
});

/** An import of a file beside the one that imports it. */
const IMPORT = /(?:from |import\()"(\.[^"]+)"/g;

/** What readers have in their own app, or what a tool generated there, by page. */
const OWN_FILES: Readonly<Record<string, string>> = {
  "docs/frameworks/nestjs.md": "app.module",
  "docs/frameworks/write-an-adapter.md": "stream-receiver",
  "docs/guides/schemas-and-types.md": "src/schemas",
  "docs/operations.md": "handlers",
  "docs/reference/transactions.md": "prisma-client",
};

it.each(userPages())(
  "code on %s imports only files that it, or the page before it, saves",
  (page) => {
    const steps = stepsOf({ path: page, text: readPage(page) });
    const withoutExtension = (path: string) => path.replace(/\.[cm]?[jt]sx?$/, "");
    const files = steps.flatMap(({ orders }) => orders.get("file") ?? []).map(withoutExtension);
    const imported = steps.flatMap(({ language, code, orders }) => {
      if (language === "sh") return [];
      const folder = dirname(orders.get("file") ?? "");
      return [...code.matchAll(IMPORT)].map(([, path = ""]) =>
        withoutExtension(join(folder, path)),
      );
    });
    const own = OWN_FILES[page];
    expect(imported.filter((path) => path !== own && !files.includes(path))).toEqual([]);
    expect(own === undefined || imported.includes(own)).toBe(true);
  },
);

it("the JSON and the YAML on the pages is valid", () => {
  for (const { page, language, code } of blocks) {
    if (language === "json") expect(() => JSON.parse(code), page).not.toThrow();
    if (language === "yaml")
      expect(
        parseAllDocuments(code).flatMap(({ errors }) => errors),
        page,
      ).toEqual([]);
  }
});

it("the JavaScript on the pages is valid", async () => {
  const scripts = blocks.filter(({ language }) => language === "js");
  expect(scripts.length).toBeGreaterThan(10);
  for (const { page, code } of scripts) {
    await expect(transform(code, { loader: "js", target: "esnext" }), page).resolves.toBeDefined();
  }
});

/** A module that exports an object of handlers. */
const HANDLERS = /^export default (\{\n {2}"[\s\S]*?\n\});\n/;

it("the handlers on the pages compile as TypeScript, in a module and in a receiver", {
  timeout: 60_000,
}, async () => {
  const modules = blocks.flatMap(({ page, code }) => {
    const [, handlers] = HANDLERS.exec(code) ?? [];
    return handlers === undefined ? [] : [{ page, handlers }];
  });
  const files = modules.map(({ handlers }, index): [string, string] => [
    `handlers-${index}.ts`,
    `import { createReceiver, defineHandlers } from "hookporter";
export default defineHandlers({ handlers: ${handlers} });
createReceiver({ secret: "a secret of the page", handlers: ${handlers} });`,
  ]);
  expect(modules.map(({ page }) => page)).toEqual(
    expect.arrayContaining([
      "docs/reference/handlers-modules.md",
      "docs/guides/fixtures-and-replay.md",
    ]),
  );
  expect(await compileWithPackage(new Map(files))).toBe("");
});

it.skipIf(spawnSync("bash", ["-c", ""]).status !== 0)(
  "the shell commands on the pages are valid",
  () => {
    const scripts = blocks.filter(({ language }) => language.startsWith("sh"));
    expect(scripts.length).toBeGreaterThan(50);
    const wrong = scripts.flatMap(({ page, code }) => {
      const stderr = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" }).stderr;
      return stderr === "" ? [] : [`${page}: ${stderr}`];
    });
    expect(wrong).toEqual([]);
  },
);

/**
 * Why blocks are not run, and how many: each has `<!-- skip: … -->` above it, or needs a clone. Add
 * to these only what cannot run on one machine.
 */
const NOT_RUN: Readonly<Record<string, number>> = {
  "a build of Next.js": 1,
  "a clone of the repository": 1,
  "a database of the reader's own": 1,
  "a tunnel's program": 1,
  "another machine": 3,
  "hours of measuring": 1,
  "it needs the internet": 3,
  "needs an app": 1,
  "the address is an example": 1,
};

it("every shell block is run, but for those that cannot run here, which say why", () => {
  const shell = userPages().flatMap((page) => blocksOf(page, readPage(page)));
  const reasons = shell.flatMap(({ skip }) => skip ?? []);
  const counts = Object.fromEntries(
    [...new Set(reasons)]
      .sort()
      .map((reason) => [reason, reasons.filter((text) => text === reason).length]),
  );
  expect(counts).toEqual(NOT_RUN);
  expect(shell.length).toBeGreaterThan(140);
});
