// What the project may weigh: prints each figure beside its budget in budgets.json, and fails if one is over. Needs a build.
// The lines of src/ are printed, not held: a budget of lines is kept by packing code.
// A change that needs more raises a budget in its own commit, and says there what it took away instead.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createJiti } from "jiti";
import { ENTRIES } from "./entries.js";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, "budgets.json"), "utf8"));

/** Every figure, by the name of its budget. */
export async function measure() {
  const lines = sources().map(linesOf);
  const pages = filesBelow("docs").filter((name) => name.endsWith(".md"));
  const exported = await Promise.all(ENTRIES.map(exportsOf));
  const [main, ...others] = exported;
  const flags = await ownFlags();
  return {
    "own flags of commands (command × flag)": sum([...flags.values()]),
    "own flags of listen": flags.get("listen"),
    "entry points": ENTRIES.length,
    "lines of the longest file in src/": Math.max(...lines),
    "files in the largest folder of src/": Math.max(...countFiles(filesBelow("src"))),
    "words in docs/": sum(pages.map((name) => readText(name).split(/\s+/).filter(Boolean).length)),
    "values exported by hookporter": main.values,
    "types exported by hookporter": main.types,
    "names exported by another entry point": Math.max(...others.map(({ values, types }) => values + types)),
    'kB of code that import "hookporter" loads': kilobytes(sum(loadedBy(join(dist, "index.js")).map(sizeOf))),
    "kB of the packed tarball": kilobytes(packedSize()),
  };
}

/** Each figure with its budget. A figure without a budget, or a budget without a figure, is a mistake. */
export function compare(figures, allowed = budgets) {
  const names = new Set([...Object.keys(figures), ...Object.keys(allowed)]);
  return [...names].map((name) => {
    const [figure, budget] = [figures[name], allowed[name]];
    return { name, figure, budget, isOver: !(figure <= budget) };
  });
}

function sources() {
  return filesBelow("src").filter((name) => /\.tsx?$/.test(name));
}

function linesOf(name) {
  return readText(name).split("\n").length - 1;
}

/** How many flags each command has, without those that all have, and without what only a settings file sets. */
async function ownFlags() {
  const jiti = createJiti(import.meta.url);
  const source = (name) => jiti.import(`../src/cli/${name}.ts`);
  const { createContext } = await source("context");
  const { createProgram } = await source("program");
  const { commandName, isSettingOnly, leaves } = await source("settings/command-tree");
  const isCommon = (option) => ["json", "quiet", "debug"].includes(option.attributeName());
  const commands = leaves(createProgram(createContext({ env: {}, isTTY: {} })));
  return new Map(
    commands.map((command) => {
      const own = command.options.filter((option) => !isCommon(option) && !isSettingOnly(option));
      return [commandName(command), own.length];
    }),
  );
}

function filesBelow(folder) {
  const found = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return paths.map((path) => path.slice(root.length + 1));
}

/** How many files each folder has, without those in folders below it. */
function countFiles(names) {
  const counts = new Map();
  for (const name of names) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
  return counts.values();
}

/** How many values and types an entry point exports: the values are those of the built module, all other names are types. */
async function exportsOf({ file, source }) {
  const values = Object.keys(await import(pathToFileURL(join(dist, `${file}.js`)).href));
  const text = readText(source);
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, list]) => list.split(","))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, "")
        .split(" as ")
        .at(-1),
    );
  const declared = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  const names = new Set([...listed, ...declared].filter((name) => name !== "" && !values.includes(name)));
  return { values: values.length, types: names.size };
}

/** A built module, and those that it loads when it is imported. */
export function loadedBy(file, known = new Set()) {
  if (known.has(file)) return [];
  known.add(file);
  const targets = [...readFileSync(file, "utf8").matchAll(/(?:from|^import|[;\n]import)\s*"(\.[^"]+)"/g)];
  return [file, ...targets.flatMap(([, target]) => loadedBy(resolve(dirname(file), target), known))];
}

function packedSize() {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26, stdio: ["ignore", "pipe", "ignore"] };
  const shell = process.platform === "win32"; // npm is a script there
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    ...options,
    shell,
  });
  return Object.values(JSON.parse(output))[0].size;
}

function readText(name) {
  return readFileSync(join(root, name), "utf8");
}

function sizeOf(file) {
  return statSync(file).size;
}

function kilobytes(bytes) {
  return Math.ceil(bytes / 1000);
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, figure, budget, isOver } of compare(await measure())) {
    console.log(
      `${isOver ? "✗" : "✓"} ${String(figure).padStart(7)} of ${String(budget).padStart(6)} ${name}`,
    );
    if (isOver) process.exitCode = 1;
  }
  console.log(`  ${String(sum(sources().map(linesOf))).padStart(7)}           lines of TypeScript in src/`);
}
