import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** The script of axe, to evaluate in a page once. */
export const AXE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe finds in a page. */
export async function axe(page: Page, runOnly: readonly string[] = STANDARDS): Promise<unknown> {
  return page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(runOnly)} })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]))`);
}
