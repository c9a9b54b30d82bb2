import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { type InstalledModules, installModules } from "./installed-modules.ts";
import { HAS_OWN_PORTS, runPage } from "./run-page.ts";
import { pageOf, shellBlocks } from "./shell-blocks.ts";
import { makeProject } from "./shell-scene.ts";

/**
 * How long the commands of a block may take: `check` with an observer takes half a minute on an
 * idle machine.
 */
const LIMIT = 240_000;

const blocks = shellBlocks();
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

it.skipIf(!HAS_OWN_PORTS).concurrent.each(blocks.filter(({ skip }) => skip === undefined))(
  "the commands at $place work as written",
  { timeout: 600_000 },
  async (block) => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-block-"));
    try {
      cpSync(project, join(folder, "scene"), { recursive: true });
      expect(await runPage(pageOf(block), folder, modules.path, LIMIT)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
