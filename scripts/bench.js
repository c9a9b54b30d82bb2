// Bundles bench/ next to the built package and runs it: `npm run bench`, passing all arguments on. It measures dist/ as
// published; only the bench itself is built here.
import { spawn } from "node:child_process";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(root, "node_modules", ".cache", "hookporter-bench");

/** The published entry that each imported source file is part of. */
const PUBLISHED = {
  "src/index.ts": "index.js",
  "src/testing.ts": "testing.js",
  "src/receiver/express.ts": "express.js",
  "src/receiver/node.ts": "node.js",
};

const asPublished = {
  name: "as-published",
  resolveId(source, importer) {
    if (!source.startsWith(".") || importer === undefined) return null;
    const file = relative(root, join(dirname(importer), source));
    if (!file.startsWith("src/")) return null;
    if (PUBLISHED[file] === undefined) throw new Error(`${importer} imports ${file}, which is not published`);
    return { id: new URL(`../dist/${PUBLISHED[file]}`, import.meta.url).href, external: true };
  },
};

const bundle = await rolldown({
  cwd: root,
  platform: "node",
  input: {
    run: "bench/run.ts",
    serve: "bench/server/serve.ts",
    fill: "bench/server/fill.ts",
    floor: "bench/server/floor.ts",
    generate: "bench/load/generate.ts",
    runner: "bench/server/runner.ts",
  },
  external: [/^node:/, /^(?!\.|\/)/],
  plugins: [asPublished],
});
await bundle.write({ dir: built, format: "esm", sourcemap: "hidden", entryFileNames: "[name].js" });
await bundle.close();

const bench = spawn(process.execPath, [join(built, "run.js"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, HOOKPORTER_BENCH_ROOT: root },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => bench.kill(signal));
bench.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
