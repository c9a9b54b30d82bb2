import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { HAS_SQLITE, printed, projectWithProgram, runProgram } from "./program.ts";

const DIST = join(import.meta.dirname, "..", "..", "dist");

/** Bundles the program; returns a folder with nothing but the bundle, and the bundle's name. */
const BUNDLERS = {
  "esbuild, as an ES module,": (project) => withEsbuild(project.esm, "esm"),
  "esbuild, as CommonJS,": (project) => withEsbuild(project.esm, "cjs"),
  "esbuild, from CommonJS,": (project) => withEsbuild(project.commonJs, "cjs"),
  rolldown: (project) => withRolldown(project.esm),
} satisfies Record<string, (project: ReturnType<typeof projectWithProgram>) => Promise<string>>;

async function withEsbuild(program: string, format: "esm" | "cjs"): Promise<string> {
  const folder = tempFolder();
  const outfile = join(folder, format === "esm" ? "bundle.mjs" : "bundle.cjs");
  const entryPoints = [program];
  const { warnings } = await build({
    entryPoints,
    bundle: true,
    platform: "node",
    format,
    outfile,
    logLevel: "silent",
  });
  // In CommonJS a file has no address, so esbuild says that import.meta is empty. The package
  // expects that.
  expect(warnings.filter(({ id }) => id !== "empty-import-meta")).toEqual([]);
  return outfile;
}

async function withRolldown(program: string): Promise<string> {
  const folder = tempFolder();
  const bundle = await rolldown({ input: program, platform: "node", external: ["pg"] });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "bundle.mjs" });
  await bundle.close();
  return join(folder, "bundle.mjs");
}

describe.each(Object.entries(BUNDLERS))(
  "a bundle made by %s with no file of the package beside it",
  (_, bundle) => {
    it.runIf(HAS_SQLITE)("runs, and reports once that the writer thread is missing", async () => {
      const file = await bundle(projectWithProgram());
      const { stdout, stderr } = await runProgram(file);
      const lines = stderr.trim().split("\n");
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({
        level: 40,
        name: "hookporter",
        missing: join(file, "..", "inbox-writer.js"),
        msg: expect.stringMatching(
          /^the inbox's writer thread cannot start, .* copy inbox-writer.js/,
        ),
      });
      expect(stdout).toBe(printed(0));
    });

    it.runIf(HAS_SQLITE)(
      "starts the writer thread if its program is copied beside it",
      async () => {
        const file = await bundle(projectWithProgram());
        for (const name of ["inbox-writer.js", "inbox-check.js"]) {
          copyFileSync(join(DIST, name), join(file, "..", name));
        }
        const { stdout, stderr } = await runProgram(file);
        expect(stderr).toBe("");
        expect(stdout).toBe(printed(1));
      },
    );

    it.skipIf(HAS_SQLITE)(
      "names the package and the fix on Node 20, whose SQLite cannot be bundled",
      async () => {
        const { code, stderr } = await runProgram(await bundle(projectWithProgram()));
        expect(stderr).toMatch(
          /^inbox_client_missing expected @photostructure\/sqlite .*; run npm i @photostructure\/sqlite, or use Node 22/,
        );
        expect(code).toBe(1);
      },
    );
  },
);
