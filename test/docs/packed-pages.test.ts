import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { contributorPages, readPage, root, withoutCode } from "./markdown.ts";

/** The files of the package, as npm would pack them. */
const packed = packedFiles();

it("no page of the package links to a file that is not in it", () => {
  const pages = packed.filter((path) => path.endsWith(".md") && !path.startsWith("templates/"));
  expect(pages).toEqual(expect.arrayContaining(["README.md", "SECURITY.md", "docs/README.md"]));
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter((target) => !packed.includes(target))
      .map((target) => `${page} → ${target}`),
  );
  expect(dead).toEqual([]);
});

it("the pages for contributors are not in the package", () => {
  const pages = ["AGENTS.md", "CONTRIBUTING.md", ...contributorPages()];
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.filter((page) => packed.includes(page))).toEqual([]);
});

/** The files that a page links to, by their path in the project. */
function linksOf(page: string): readonly string[] {
  const found = withoutCode(readPage(page)).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g);
  return [...found].map(([, target = ""]) => join(dirname(page), target).replaceAll("\\", "/"));
}

function packedFiles(): readonly string[] {
  const shell = process.platform === "win32"; // npm is a script there
  const argv = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const output = execFileSync("npm", argv, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "ignore"],
    shell,
  });
  const [first] = Object.values<{ files: readonly { path: string }[] }>(JSON.parse(output));
  return first?.files.map(({ path }) => path) ?? [];
}
