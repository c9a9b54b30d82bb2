// Bundles tools/bench/ next to the built package and runs it: `npm run bench`, passing all
// arguments on. It measures dist/ as published; only the bench itself is built here.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(root, "node_modules", ".cache", "hookporter-bench");

/** The published entry that each imported source file is part of. */
const PUBLISHED = {
  "src/entries/index.ts": "index.js",
  "src/entries/testing.ts": "testing.js",
  "src/entries/express.ts": "express.js",
  "src/entries/node.ts": "node.js",
};

/** Lets what is imported from src/ be that of a build: another checkout's dist/, or this one's. */
const published = (dist) => ({
  name: "as-published",
  resolveId(source, importer) {
    if (!source.startsWith(".") || importer === undefined) return null;
    const file = relative(root, join(dirname(importer), source));
    if (!file.startsWith("src/")) return null;
    if (PUBLISHED[file] === undefined)
      throw new Error(`${importer} imports ${file}, which is not published`);
    return { id: pathToFileURL(join(dist, PUBLISHED[file])).href, external: true };
  },
});

/** Bundles programs for a build of the package; resolves to their code. */
async function bundle(input, { dist, dir }) {
  const bundled = await rolldown({
    cwd: root,
    platform: "node",
    input,
    external: [/^node:/, /^(?!\.|\/)/],
    plugins: [published(dist)],
  });
  const { output } = await bundled.write({
    dir,
    format: "esm",
    sourcemap: "hidden",
    entryFileNames: "[name].js",
  });
  await bundled.close();
  return output.map(({ code = "" }) => code);
}

await bundle(
  {
    run: "tools/bench/run.ts",
    compare: "tools/bench/compare.ts",
    serve: "tools/bench/server/serve.ts",
    fill: "tools/bench/server/fill.ts",
    floor: "tools/bench/server/floor.ts",
    generate: "tools/bench/load/generate.ts",
    runner: "tools/bench/server/runner.ts",
  },
  { dist: join(root, "dist"), dir: built },
);

/** Bundles the servers a second time, for the build that `--against` names. */
async function bundleBefore(checkout) {
  const dist = join(resolve(checkout), "dist");
  const [absent] = Object.values(PUBLISHED).filter((name) => !existsSync(join(dist, name)));
  if (absent !== undefined) {
    throw new TypeError(
      `expected --against to be a checkout of hookporter after npm run build, got one without ${join(dist, absent)}`,
    );
  }
  const code = await bundle(
    { serve: "tools/bench/server/serve.ts" },
    { dist, dir: join(built, "before") },
  );
  for (const [, names, url] of code
    .join("\n")
    .matchAll(/^import \{([^}]*)\} from "(file:[^"]*)"/gm)) {
    const exported = await import(url);
    const missing = names.split(",").map((name) => name.trim().split(" ")[0]);
    const [first] = missing.filter((name) => !(name in exported));
    if (first !== undefined) {
      throw new TypeError(
        `expected --against to export what the bench uses, but ${fileURLToPath(url)} has no ${first}`,
      );
    }
  }
}

/**
 * Installs the queues that are compared, beside the bench: they are large, and need a newer Node
 * than the tests.
 */
function installPeers() {
  const files = ["package.json", "package-lock.json"].map((name) => [
    join(root, "tools", "bench", "peers", name),
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
    throw new Error(
      "expected npm to install what tools/bench/peers/package.json lists, got an error",
    );
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

const argv = process.argv.slice(2);
const { values } = parseArgs({
  args: argv,
  strict: false, // the bench itself refuses what is wrong
  options: {
    against: { type: "string" },
    node: { type: "string", multiple: true },
    out: { type: "string" },
  },
});
const { against, node: nodes = [], out = join(root, ".bench") } = values;
if (argv.some((argument) => /\bpeers\b/.test(argument))) installPeers();
try {
  if (typeof against === "string") await bundleBefore(against);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
if (nodes.length < 2) {
  process.exitCode = await run("run", argv);
} else {
  // The same on each Node, then the results side by side. Of a flag that is given twice, the last
  // counts.
  const folders = nodes.map((_, index) => join(out, `node-${index + 1}`));
  for (const [index, node] of nodes.entries()) {
    mkdirSync(folders[index], { recursive: true });
    process.exitCode ||= await run("run", [...argv, "--node", node, "--out", folders[index]]);
  }
  if (!process.exitCode)
    await run(
      "compare",
      folders.map((folder) => join(folder, "result.json")),
    );
}
