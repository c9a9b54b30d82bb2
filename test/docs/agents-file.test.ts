import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { quoted, readPage, root } from "./markdown.ts";

const page = readPage("AGENTS.md");

it("AGENTS.md fits on a screen", () => {
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

it("every file and folder that AGENTS.md names exists", () => {
  const paths = quoted(page.replace(/^```[\s\S]*?^```$/gm, "")).filter((text) =>
    /^(?:src|test|docs|tools)\/[\w./-]+$/.test(text),
  );
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  expect(paths.length).toBeGreaterThan(15);
  expect([...paths, ...links].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it("every command that AGENTS.md names exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});
