import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pagesIn, readPage, root } from "./markdown.ts";

const { version } = JSON.parse(readPage("package.json"));

const examples = readdirSync(join(root, "examples")).map((name) => `examples/${name}/package.json`);

it.each(["templates/_shared/package.json", ...examples])(
  "%s depends on this version of hookporter",
  (path) => {
    expect(JSON.parse(readPage(path)).dependencies.hookporter).toBe(`^${version}`);
  },
);

it("the lockfile has the package's version", () => {
  const lock = JSON.parse(readPage("package-lock.json"));
  expect([lock.version, lock.packages[""].version]).toEqual([version, version]);
});

it("the changelog begins with this version, or with the one that it is a candidate for, in one screen", () => {
  const changelog = readPage("CHANGELOG.md");
  const [newest] = [...changelog.matchAll(/^## \[(.+?)\]/gm)].map((match) => match[1]);
  expect([version, version.replace(/-.*/, "")]).toContain(newest);
  expect(changelog.split("\n").length).toBeLessThanOrEqual(60);
});

it("output on the pages and in the pictures is of this version", () => {
  const pictures = readdirSync(join(root, "docs/images")).filter((name) => name.endsWith(".svg"));
  const texts = [...pagesIn("docs"), ...pictures.map((name) => `docs/images/${name}`)].map(
    readPage,
  );
  const shown = texts.flatMap((text) => [
    ...text.matchAll(
      /(?:^|[(>])hookporter (\d+\.\d+\.\d+(?:-\w+\.\d+)?)\b|\bversion (\d+\.\d+\.\d+(?:-\w+\.\d+)?)$/gm,
    ),
  ]);
  expect(shown.length).toBeGreaterThan(3);
  for (const [words, printed, listed] of shown)
    expect([words, printed ?? listed]).toEqual([words, version]);
});
