// Builds dist/: one small file per published entry point, with shared code in chunks and types.
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { transform } from "esbuild";
import { rolldown } from "rolldown";
import { build as buildPage } from "vite";
import "./config-flags.js";
import { ENTRIES } from "./entries.js";
import { noticesOf, sbomOf } from "./third-party.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { name, version, license, engines, dependencies, optionalDependencies, peerDependencies } =
  manifest;

/**
 * Source maps, so that the bench can name the source of what a profile shows. They are never
 * published.
 */
const sourcemap = process.argv.includes("--source-maps") && "hidden";

/** Of package.json, only what the sources use: the whole is 7 kB that every import would load. */
const smallPackageJson = {
  name: "small-package-json",
  load: (id) =>
    id === join(root, "package.json")
      ? { code: JSON.stringify({ name, version, engines }), moduleType: "json" }
      : null,
};

/** Lets each entry point that needs Node begin with the check of its version. */
const nodeCheckFirst = {
  name: "node-check-first",
  transform: (code, id) =>
    ENTRIES.some(({ name: entry, source }) => entry !== "./verify" && id === join(root, source))
      ? `import ${JSON.stringify(join(root, "src/base/package/node-check.ts"))};\n${code}`
      : null,
};

/**
 * Dependencies that users install stay external; those of the CLI alone are bundled, so that it
 * starts quickly.
 */
const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
const isExternal = (id) =>
  id.startsWith("node:") || installed.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Bundled, since reading a hundred files of zod and sixty of Express took half of the start of
 * `listen`. Express is 60 packages, and who uses its adapter has an Express.
 */
const isBundledAllTheSame = (id, importer = "") =>
  /^zod(\/v4)?$/.test(id) ||
  id === "express" ||
  (id === "prom-client" && importer.endsWith("src/cli/ready/serve-metrics.ts")) ||
  importer.includes("/node_modules/prom-client/");

/**
 * What the bundled packages import and no command needs; almost nothing is bundled in its place.
 * prom-client needs OpenTelemetry only for exemplars, and tdigest for summaries. The endpoint and
 * the sandbox read bodies and queries themselves, serve no files and set no cookies, and trust no
 * proxy; they negotiate nothing. What Express answers is not tagged. The tools for agents ask for
 * no input, which is all that the SDK needs ajv for, half of its code.
 */
const UNUSED = {
  "@opentelemetry/api": "{}",
  tdigest: "{}",
  "mime-db": "{}",
  accepts: "{}",
  "body-parser": "{}",
  "content-disposition": "{}",
  cookie: "{}",
  "cookie-signature": "{}",
  etag: "{}",
  "http-errors": "{}",
  qs: "{}",
  "range-parser": "{}",
  send: "{}",
  "serve-static": "{}",
  "type-is": "{}",
  vary: "{}",
  "@modelcontextprotocol/server/_shims": "{ DefaultJsonSchemaValidator: class {}, process }",
  debug: "() => () => {}",
  depd: "() => () => {}",
  "proxy-addr": "{ compile: () => () => false }",
};
const NOTHING = "\0nothing:";
const withoutUnused = {
  name: "without-unused",
  resolveId: (id, importer = "") =>
    UNUSED[id] !== undefined &&
    /\/node_modules\/(?:@modelcontextprotocol|express|finalhandler|mime-types|prom-client|router)\//.test(
      importer,
    )
      ? NOTHING + id
      : null,
  load: (id) =>
    id.startsWith(NOTHING) ? `module.exports = ${UNUSED[id.slice(NOTHING.length)]};` : null,
};

/**
 * The SDK of the Model Context Protocol is half of what an agent's client loads, so that chunk
 * alone is made smaller.
 */
const smallerSdk = {
  name: "smaller-sdk",
  renderChunk: async (code, { moduleIds: ids }) =>
    ids.some((id) => id.includes("/node_modules/@modelcontextprotocol/"))
      ? (await transform(code, { minify: true, format: "esm", target: "node20" })).code
      : null,
};

/** The sources of everything that is built, for the notices of what is bundled. */
const moduleIds = new Set();
const noteModules = (files) => {
  for (const { type, moduleIds: ids } of files)
    if (type === "chunk") for (const id of ids) moduleIds.add(id);
};

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  platform: "node",
  input: {
    bin: "bin/hookporter.ts",
    "tunnel-child": "bin/tunnel-child.ts",
    "diagnosis-thread": "bin/diagnosis-thread.ts",
    ...inputs(({ name }) => name !== "./verify"),
  },
  external: (id, importer) => isExternal(id) && !isBundledAllTheSame(id, importer),
  plugins: [nodeCheckFirst, smallPackageJson, withoutUnused, smallerSdk],
});
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  sourcemap,
  comments: false, // editors show those of the types; licences are in THIRD-PARTY-NOTICES.txt
  chunkFileNames: "chunk-[name]-[hash].js",
});
noteModules(output);
await bundle.close();
await buildStart();
await buildVerify();
await buildInboxPrograms();
await buildCommonJs();
const page = await buildPage({
  configFile: false,
  root: join(root, "src", "inspector", "ui"),
  base: "./",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // Nothing inline, since the page's content security policy allows only its own files.
  build: {
    outDir: join(dist, "inspector"),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
compressPage(join(dist, "inspector", "assets"));
noteModules(page.output);
writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), noticesOf([...moduleIds]));
const needs = Object.keys({ ...dependencies, ...peerDependencies, ...manifest.devDependencies });
const lockfile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
writeFileSync(
  join(dist, "sbom.cdx.json"),
  sbomOf(
    [...moduleIds],
    { name, version, license, needs },
    {
      integrity: (folder) =>
        lockfile.packages[folder.slice(folder.indexOf("/node_modules/") + 1)]?.integrity,
      timestamp: commitTime(),
    },
  ),
);
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
writeTypes();

/** Undefined outside a repository. */
function commitTime() {
  try {
    const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    const seconds = execFileSync("git", ["log", "-1", "--format=%ct"], options);
    return new Date(Number(seconds) * 1000).toISOString();
  } catch {
    return undefined;
  }
}

/** The entry point. */
async function buildStart() {
  const start = await rolldown({
    cwd: root,
    platform: "node",
    input: "bin/start.ts",
    external: [/^node:/, "./bin.js"],
    plugins: [smallPackageJson],
  });
  noteModules((await start.write({ file: join(dist, "hookporter.cjs"), format: "cjs" })).output);
  await start.close();
  for (const program of ["bin.js", "hookporter.cjs"]) chmodSync(join(dist, program), 0o755);
}

/**
 * The inbox's thread and process: a file each, so that they can be copied beside a bundle of the
 * library.
 */
async function buildInboxPrograms() {
  for (const [name, source] of [
    ["inbox-writer", "thread/writer-thread"],
    ["inbox-check", "care/check-process"],
  ]) {
    const input = `src/inbox/sqlite/${source}.ts`;
    const external = (id, importer) => isExternal(id) && !isBundledAllTheSame(id, importer);
    const program = await rolldown({ cwd: root, platform: "node", input, external });
    const file = join(dist, `${name}.js`);
    const { output } = await program.write({
      file,
      format: "esm",
      sourcemap,
      minify: !sourcemap,
      comments: false,
    });
    noteModules(output);
    await program.close();
  }
}

/**
 * The library once more as CommonJS, for what cannot require an ES module, such as Jest.
 * Dependencies stay external.
 */
async function buildCommonJs() {
  const library = await rolldown({
    cwd: root,
    platform: "node",
    input: inputs(() => true),
    external: (id) => id !== "express" && isExternal(id),
    plugins: [nodeCheckFirst, smallPackageJson, withoutUnused],
  });
  const { output } = await library.write({
    dir: dist,
    format: "cjs",
    comments: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunk-[name]-[hash].cjs",
    // half the size, and Node itself runs the ES modules, whose stack traces stay readable
    minify: true,
  });
  noteModules(output);
  await library.close();
}

/**
 * The types are emitted once, as those of CommonJS, which both kinds of module may import. Beside
 * each entry point, two files that only export them say to a compiler which kind of module the
 * entry point is.
 */
function writeTypes() {
  const folder = join(dist, "types");
  const used = new Set();
  for (const { file, source } of ENTRIES) {
    const types = `./types/${source.replace(/\.ts$/, ".js")}`;
    writeFileSync(join(dist, `${file}.d.ts`), `export * from "${types}";\n`);
    // Turbopack reads this file too, and refuses `export` in a file of CommonJS.
    writeFileSync(
      join(dist, `${file}.d.cts`),
      `import types = require("${types}");\nexport = types;\n`,
    );
    addUsed(join(folder, source.replace(/\.ts$/, ".d.ts")), used);
  }
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = join(folder, name);
    if (name.endsWith(".ts") && !used.has(file)) rmSync(file);
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
}

/**
 * Adds a file of types to a set, and those that it imports. The compiler emits many that no entry
 * point needs.
 */
function addUsed(file, used) {
  if (used.has(file)) return;
  used.add(file);
  for (const [, target] of readFileSync(file, "utf8").matchAll(
    /(?:from |import\()"(\.[^"]+)\.[jt]s"/g,
  )) {
    addUsed(join(dirname(file), `${target}.d.ts`), used);
  }
}

/** The entry points, and their sources, that a bundle contains. */
function inputs(isWanted) {
  return Object.fromEntries(ENTRIES.filter(isWanted).map(({ file, source }) => [file, source]));
}

/** A file of its own, with nothing of Node in it, so that any runtime and any bundler takes it. */
async function buildVerify() {
  const verify = await rolldown({ cwd: root, platform: "neutral", input: "src/entries/verify.ts" });
  const { output } = await verify.write({
    file: join(dist, "verify.js"),
    format: "esm",
    comments: false,
  });
  noteModules(output);
  await verify.close();
}

/**
 * Scripts and style sheets of the page, compressed only: browsers take them so, and the server
 * decompresses them for others.
 */
function compressPage(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(?:js|css)$/.test(name)) continue;
    const file = join(folder, name);
    const bytes = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
    rmSync(file);
  }
}
