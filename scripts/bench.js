// Bundles bench/ next to the built package and runs it: `npm run bench`, passing all arguments on. It measures dist/ as
// published; only the bench itself is built here.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(root, "node_modules", ".cache", "hookporter-bench");

/** The published entry that each imported source file is part of. */
const PUBLISHED = {
  "src/entries/index.ts": "index.js",
  "src/entries/inbox.ts": "inbox.js",
  "src/entries/testing.ts": "testing.js",
  "src/entries/express.ts": "express.js",
  "src/entries/node.ts": "node.js",
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
    compare: "bench/compare.ts",
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

/** Installs the queues that are compared, beside the bench: they are large, and need a newer Node than the tests. */
function installPeers() {
  const files = ["package.json", "package-lock.json"].map((name) => [
    join(root, "bench", "peers", name),
    join(built, name),
  ]);
  const isThere = ([from, to]) => existsSync(to) && readFileSync(to).equals(readFileSync(from));
  if (files.every(isThere) && existsSync(join(built, "node_modules"))) return;
  for (const [from, to] of files) copyFileSync(from, to);
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: built,
    stdio: "inherit",
  });
  if (npm.status !== 0)
    throw new Error("expected npm to install what bench/peers/package.json lists, got an error");
}

/** Runs a program of the bench; resolves to its exit code. */
function run(name, argv) {
  const child = spawn(process.execPath, [join(built, `${name}.js`), ...argv], {
    stdio: "inherit",
    env: { ...process.env, HOOKPORTER_BENCH_ROOT: root },
  });
  const stop = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);
  return new Promise((resolve) => {
    child.on("exit", (code) => {
      for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, stop);
      resolve(code ?? 1);
    });
  });
}

/** With `--node` several times: runs the same sections on each Node, then shows the results side by side. */
const argv = process.argv.slice(2);
if (argv.some((argument) => /\bpeers\b/.test(argument))) installPeers();
const isNode = (index) => argv[index] === "--node";
const nodes = argv.filter((_, index) => isNode(index - 1));
if (nodes.length < 2) {
  process.exitCode = await run("run", argv);
} else {
  const given = argv.indexOf("--out");
  const out = given < 0 ? join(root, ".bench") : argv[given + 1];
  const rest = argv.filter((_, index) => {
    const isOut = given >= 0 && (index === given || index === given + 1);
    return !isNode(index) && !isNode(index - 1) && !isOut;
  });
  const folders = nodes.map((_, index) => join(out, `node-${index + 1}`));
  for (const [index, node] of nodes.entries()) {
    mkdirSync(folders[index], { recursive: true });
    process.exitCode ||= await run("run", [...rest, "--node", node, "--out", folders[index]]);
  }
  if (!process.exitCode)
    await run(
      "compare",
      folders.map((folder) => join(folder, "result.json")),
    );
}
