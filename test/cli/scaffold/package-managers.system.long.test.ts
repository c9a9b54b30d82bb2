import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listTemplates } from "../../../src/cli/scaffold/templates.ts";
import { type Packed, packPackage } from "./packed.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const templates = (await listTemplates(root)).map(({ name }) => name);

/** The newest pnpm that runs on this Node. */
const PNPM = Number(process.versions.node.split(".")[0]) < 22 ? "pnpm@10" : "pnpm@11";
/**
 * Each package manager: its package, the program in it, and the template that it has in the shorter
 * run.
 */
const MANAGERS = [
  ["npm", undefined, "npm", "fastify"],
  ["pnpm", PNPM, `pnpm/bin/pnpm.${PNPM === "pnpm@10" ? "cjs" : "mjs"}`, "express"],
  ["pnpm 9", "pnpm@9", "pnpm/bin/pnpm.cjs", "fastify"],
  ["Yarn", "@yarnpkg/cli-dist", "@yarnpkg/cli-dist/bin/yarn.js", "hono"],
  ["Bun", "@oven/bun-linux-x64", "@oven/bun-linux-x64/bin/bun", "lambda"],
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
afterAll(() => packed.remove(), 300_000);

describe.skipIf(process.platform !== "linux").each(MANAGERS)(
  "with %s",
  (name, from, program, template) => {
    let start: readonly string[] = [];
    beforeAll(async () => {
      start = await startOf(name, from, program);
    }, 300_000);

    test.each(isLong ? templates : [template])(
      "a project of %s installs without a warning of ours, passes its tests and builds",
      async (chosen) => {
        const folder = `${chosen}-${name.toLowerCase().replace(" ", "-")}`;
        const project = await packed.init(folder, "--template", chosen, "--yes");
        if (name === "Yarn") prepareForYarn(project);
        const [command = "", ...argv] = start;
        const run = (...rest: readonly string[]) => packed.run(project, command, ...argv, ...rest);
        const { stdout, stderr } = await run("install");
        const lines = `${stdout}\n${stderr}`.split("\n");
        const warnings = lines.filter(
          (line) => WARNING.test(line) && OURS.test(line) && !PREPARED.test(line),
        );
        expect(warnings).toEqual([]);
        expect(existsSync(join(project, "node_modules", "hookporter", "package.json"))).toBe(true);
        await run("run", "test");
        await run("run", "build");
      },
      600_000,
    );
  },
);

/**
 * Makes the project no part of another one. Its Vite is that of this repository: the newest may
 * name an optional package that a mirror does not have yet, which Yarn refuses.
 */
function prepareForYarn(project: string): void {
  writeFileSync(join(project, "yarn.lock"), "");
  const path = join(project, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  const { version } = JSON.parse(
    readFileSync(join(root, "node_modules", "vite", "package.json"), "utf8"),
  );
  writeFileSync(path, JSON.stringify({ ...manifest, resolutions: { vite: version } }, null, 2));
}

/** Installs a package manager; returns how it is started. */
async function startOf(
  name: string,
  from: string | undefined,
  program: string,
): Promise<readonly string[]> {
  if (from === undefined) return [program];
  const tool = join(packed.place, `tool-${name}`);
  mkdirSync(tool);
  writeFileSync(join(tool, "package.json"), '{ "private": true }');
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  await packed.run(tool, "npm", "install", from, ...flags);
  const path = join(tool, "node_modules", program);
  return name === "Bun" ? [path] : [process.execPath, path];
}
