import { join } from "node:path";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { isFile, linkOnSite, slugOf } from "../../tools/site/.vitepress/links.ts";
import { readSidebar } from "../../tools/site/.vitepress/sidebar.ts";
import {
  anchorsOf,
  contributorPages,
  pagesIn,
  readPage,
  root,
  sectionsOf,
  withoutCode,
} from "./markdown.ts";

const contents = readPage("docs/README.md");
/** The pages that the site has. */
const pages = pagesIn("docs").filter(
  (page) => page !== "docs/README.md" && !contributorPages().includes(page),
);

it("the sidebar of the site has each of its pages once, in the order of the list of pages", () => {
  const links = readSidebar(contents).flatMap(({ items }) => items.map(({ link }) => link));
  const inDocs = links
    .filter((link) => !/^\/[A-Z]+$/.test(link))
    .map((link) => link.replace(/\/$/, "/index"));
  expect([...inDocs].sort()).toEqual(pages.map((page) => page.slice("docs".length, -".md".length)));
  expect(links.slice(-2)).toEqual(["/SECURITY", "/CHANGELOG"]);
});

it("llms.txt lists each page once with a sentence, and llms-full.txt has them whole", async () => {
  const { llmsFiles } = await import(join(root, "tools", "site", "llms.js"));
  const { "llms.txt": list, "llms-full.txt": full } = llmsFiles(contents, (path: string) =>
    readPage(`docs/${path}`),
  );
  const listed = [...list.matchAll(/^- \[.+\]\((.+?\.md)\):/gm)].map(([, path]) => `docs/${path}`);
  expect([...listed].sort()).toEqual([...pages].sort());
  for (const page of pages) expect(full).toContain(readPage(page).trim());
});

it("the site has the same anchors as the pages have on GitHub", () => {
  for (const path of pagesIn("docs"))
    expect([...sectionsOf(readPage(path)).keys()].map(slugOf), path).toEqual(
      anchorsOf(readPage(path)),
    );
});

it.each([
  ["../README.md", "/"],
  ["../../SECURITY.md", "/SECURITY.md"],
  ["docs/reference/errors.md#by-import", "/reference/errors.md#by-import"],
  ["docs/README.md", "/contents.md"],
  ["cli/listen.md", "cli/listen.md"],
  ["https://example.com/docs/a.md", "https://example.com/docs/a.md"],
])("a link to %s leads to %s on the site", (link, onSite) => {
  expect(linkOnSite(link)).toBe(onSite);
});

it("every link of a page leads to another page of the site, or to a file that it serves", () => {
  const onSite = [...pages, "docs/README.md", "CHANGELOG.md", "SECURITY.md"];
  const dead = onSite.flatMap((path) => {
    const links = [...withoutCode(readPage(path)).matchAll(/(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g)].map(
      ([, link = ""]) => link,
    );
    return links
      .filter((link) => !/^(?:https?:|#)|\.md(?:#|$)/.test(link) && !isFile(link))
      .map((link) => [path, link]);
  });
  expect(dead).toEqual([]);
});

it("the first screen of the site has the command, and its first button leads to a quickstart", () => {
  const home = readPage("tools/site/home.md");
  expect(/actions:\n.*brand\n.*\n +link: (\S+)/.exec(home)?.[1]).toMatch(/^\/quickstart\//);
  expect(readPage("tools/site/.vitepress/theme/index.ts")).toContain('"npx hookporter listen"');
});

it("the site's packages are not among the project's", () => {
  const { dependencies, devDependencies, optionalDependencies } = packageJson;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(names.filter((name) => /^(?:vitepress|vue)$/.test(name))).toEqual([]);
});

it("every picture of a page has a path that begins with a dot, as the site's build needs it", () => {
  const sources = pagesIn("docs").flatMap(
    (path) => readPage(path).match(/\b(?:src|srcset)="[^"]+"/g) ?? [],
  );
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((source) => !/="\.\.?\//.test(source))).toEqual([]);
});
