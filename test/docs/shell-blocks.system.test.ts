import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { makeProject } from "./given.ts";
import { type InstalledModules, installModules } from "./installed-modules.ts";
import { HAS_OWN_PORTS, runPage, stepsOf } from "./run-page.ts";
import { blocksOf, ownPage, pagesToRun } from "./shell-blocks.ts";

/**
 * How long the commands of a block may take: `check` with an observer takes half a minute on an
 * idle machine.
 */
const LIMIT = 240_000;

let modules: InstalledModules;
let project: string;

beforeAll(async () => {
  modules = installModules();
  project = mkdtempSync(join(tmpdir(), "hookporter-blocks-"));
  await makeProject(project);
  return () => {
    modules.remove();
    rmSync(project, { recursive: true, force: true });
  };
});

it.skipIf(!HAS_OWN_PORTS).concurrent.each(pagesToRun())(
  "the commands on %s work as written, in their order and in one folder",
  { timeout: 600_000 },
  async (page) => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-block-"));
    try {
      cpSync(project, join(folder, "scene"), { recursive: true });
      const text = ownPage(page);
      const typed = stepsOf({ path: page, text }).filter(({ place }) => place.startsWith("line "));
      const blocks = blocksOf(page, text);
      expect(new Set(typed.map(({ place }) => place)).size).toBeGreaterThanOrEqual(blocks.length);
      expect(await runPage({ path: page, text }, folder, modules.path, LIMIT)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
