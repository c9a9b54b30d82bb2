import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listTemplates } from "../../src/scaffold/templates.ts";
import { type Packed, packPackage } from "./packed.ts";

const templates = (await listTemplates(join(import.meta.dirname, "..", ".."))).map(({ name }) => name);

/** Each package manager: its package, the program in it, and the template that it has in the shorter run. */
const MANAGERS = [
  ["npm", undefined, "npm", "fastify"],
  ["pnpm", "pnpm", "bin/pnpm.mjs", "express"],
  ["Yarn", "@yarnpkg/cli-dist", "bin/yarn.js", "hono"],
  ["Bun", "@oven/bun-linux-x64", "bin/bun", "lambda"],
] as const;
const isLong = process.env.HOOKPORTER_LONG !== undefined;

/** What a line says that warns of something. */
const WARNING = /\b(?:warn(?:ing)?|YN0004|ERR_\w+|error)\b/i;
/** Packages that we choose; npm prepares packages of a file, but not those of a registry. */
const OURS = /hookporter|photostructure|ngrok/;
const PREPARED = /hookporter@\S+ \(prepare: /;

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
}, 300_000);
afterAll(() => packed.remove());

describe.skipIf(process.platform !== "linux").each(MANAGERS)("with %s", (name, from, program, template) => {
  let start: readonly string[] = [];
  beforeAll(async () => {
    start = await startOf(name, from, program);
  }, 300_000);

  test.each(isLong ? templates : [template])(
    "a project of %s installs without a warning of ours, passes its tests and builds",
    async (chosen) => {
      const project = await packed.init(`${chosen}-${name.toLowerCase()}`, "--template", chosen, "--yes");
      if (name === "Yarn") writeFileSync(join(project, "yarn.lock"), ""); // the project is not part of another one
      const [command = "", ...argv] = start;
      const run = (...rest: readonly string[]) => packed.run(project, command, ...argv, ...rest);
      const { stdout, stderr } = await run("install");
      const lines = `${stdout}\n${stderr}`.split("\n");
      const warnings = lines.filter((line) => WARNING.test(line) && OURS.test(line) && !PREPARED.test(line));
      expect(warnings).toEqual([]);
      expect(existsSync(join(project, "node_modules", "hookporter", "package.json"))).toBe(true);
      await run("run", "test");
      await run("run", "build");
    },
    600_000,
  );
});

/** Installs a package manager; returns how it is started. */
async function startOf(name: string, from: string | undefined, program: string): Promise<readonly string[]> {
  if (from === undefined) return [program];
  const tool = join(packed.place, `tool-${name}`);
  mkdirSync(tool);
  writeFileSync(join(tool, "package.json"), '{ "private": true }');
  await packed.run(
    tool,
    "npm",
    "install",
    from,
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--ignore-scripts",
  );
  const path = join(tool, "node_modules", from, program);
  return name === "Bun" ? [path] : [process.execPath, path];
}
