// What the package exports, from entries.json. As a program, it writes package.json and
// tsconfig.build.json to match, or with --check it only says whether they do.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const sources = readJson("tools/entries.json");

/** Every published entry point: its name, the name of its file in `dist/`, and its source. */
export const ENTRIES = Object.entries(sources).map(([name, source]) => ({
  name,
  file: name === "." ? "index" : name.slice(2),
  source,
}));

/**
 * `exports` of package.json. Node and bundlers load the one ES module for `import` and `require`
 * alike, so that a program has one copy of the library; what knows neither `module-sync` nor
 * `module`, such as Jest, requires CommonJS.
 */
const exported = Object.fromEntries([
  ...ENTRIES.map(({ name, file }) => {
    const esm = `./dist/${file}.js`;
    return [name, { "module-sync": esm, module: esm, require: `./dist/${file}.cjs`, default: esm }];
  }),
  ["./package.json", "./package.json"],
]);

/**
 * `typesVersions` of package.json: TypeScript's old `moduleResolution`, `node10`, knows no
 * `exports`.
 */
const typed = {
  "*": Object.fromEntries(
    ENTRIES.filter(({ name }) => name !== ".").map(({ file }) => [file, [`./dist/${file}.d.ts`]]),
  ),
};

if (process.argv[1] === import.meta.filename) {
  const changes = {
    "package.json": { exports: exported, typesVersions: typed },
    "tsconfig.build.json": { files: Object.values(sources) },
  };
  const print = process.argv.includes("--check") ? check : write;
  for (const [file, change] of Object.entries(changes))
    print(file, { ...readJson(file), ...change });
}

function write(file, content) {
  writeFileSync(join(root, file), `${JSON.stringify(content, null, 2)}\n`);
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  execFileSync(process.execPath, [biome, "format", "--write", join(root, file)], {
    stdio: "inherit",
  });
}

function check(file, content) {
  if (JSON.stringify(readJson(file)) === JSON.stringify(content)) return;
  process.exitCode = 1;
  console.error(
    `expected ${file} to have the entry points of tools/entries.json: run node tools/entries.js`,
  );
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}
