import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type InstalledModules, installModules } from "./installed-modules.ts";
import { readPage, root } from "./markdown.ts";
import { HAS_OWN_PORTS, runPage, shapeOf, stepsOf } from "./run-page.ts";

/** How long a block may take, beside those of other pages. */
const LIMIT = 120_000;

const pages = ["docs/quickstart", "docs/guides"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);

let modules: InstalledModules;

beforeAll(() => {
  modules = installModules();
  return modules.remove;
});

it.skipIf(!HAS_OWN_PORTS).concurrent.each(pages)(
  "%s works as written, and prints what it shows",
  { timeout: 600_000 },
  async (path) => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-guide-"));
    try {
      const page = { path, text: readPage(path) };
      expect(stepsOf(page).length).toBeGreaterThan(1);
      expect(await runPage(page, folder, modules.path, LIMIT)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

it.skipIf(!HAS_OWN_PORTS)(
  "a page that shows what is not printed, or a command that fails, is noticed",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-guide-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const text =
      "```sh\nfalse\n```\n\n<!-- exit: 3 -->\n```sh\necho one; exit 3\n```\n\n```text\none\n```\n";
    expect(await runPage({ path: "", text }, folder, modules.path)).toEqual([
      expect.stringMatching(/^line 1: expected exit code 0, got 1/),
    ]);
    expect(shapeOf("200 in 3.5 ms  evt_1_0a…")).toBe(shapeOf("200 in 12 ms evt_1_77"));
    expect(shapeOf("seed: 38218721")).toBe(shapeOf("seed: 3821872152"));
    expect(shapeOf("200 received")).not.toBe(shapeOf("200 handled"));
  },
);
