// What the project may weigh: prints each figure beside its budget in budgets.json, and fails if
// one is over. Needs a build. The lines and tokens of src/ are printed, not held: a budget of lines
// is kept by packing code. A change that needs more raises a budget in its own commit, and says
// there what it took away instead.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createJiti } from "jiti";
import { countTokens } from "./count-tokens.js";
import { withoutDoor } from "./doors.js";
import { ENTRIES } from "./entries.js";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, "budgets.json"), "utf8"));

/** Every figure, by the name of its budget; `null` for what this machine cannot measure. */
export async function measure() {
  const lines = sources().map(linesOf);
  const pages = filesBelow("docs").filter((name) => name.endsWith(".md"));
  const exported = await Promise.all(ENTRIES.map(exportsOf));
  const [main, ...others] = exported;
  const flags = await ownFlags();
  const delivery = passedBy("delivery-path.js");
  const listen = passedBy("listen-path.js");
  return {
    "own flags of commands (command × flag)": sum([...flags.values()]),
    "own flags of listen": flags.get("listen"),
    "entry points": ENTRIES.length,
    "lines of the longest file in src/": Math.max(...lines),
    "files in the largest folder of src/": Math.max(...countFiles(filesBelow("src"))),
    "files of tests that import internals only": withoutDoor().length,
    "words in docs/": sum(pages.map((name) => readText(name).split(/\s+/).filter(Boolean).length)),
    "names exported by hookporter": main,
    "names exported by another entry point": Math.max(...others),
    "functions on a delivery's path": delivery?.functions ?? null,
    "files on a delivery's path": filesOf(delivery),
    "functions on the way of listen's options": listen?.functions ?? null,
    "files on the way of listen's options": filesOf(listen),
    'kB of code that import "hookporter" loads': kilobytes(
      sum(loadedBy(join(dist, "index.js")).map(sizeOf)),
    ),
    "kB of the packed tarball": kilobytes(packedSize()),
  };
}

function filesOf(passed) {
  return passed === undefined ? null : Object.keys(passed.files).length;
}

/**
 * What was passed, as a script prints it, under a Node that can run it; `undefined` if there is
 * none. A test run fetches one only with the tests of whole systems.
 *
 * @param {"delivery-path.js" | "listen-path.js"} name
 */
export function passedBy(name) {
  const script = [join(import.meta.dirname, name), "--json"];
  const options = { encoding: "utf8", shell: process.platform === "win32" };
  if (Number.parseInt(process.versions.node, 10) >= 24)
    return JSON.parse(execFileSync(process.execPath, script, { encoding: "utf8" }));
  if (process.env.VITEST !== undefined && process.env.MODE !== "system") return undefined;
  const { stdout } = spawnSync("npx", ["-y", "-p", "node@24", "node", ...script], options);
  if (stdout !== "") return JSON.parse(stdout);
  // Without a network there is no such Node; a failure of the script itself is told.
  const node = spawnSync("npx", ["-y", "-p", "node@24", "node", "--version"], options);
  if (node.status === 0) throw new Error(`expected figures from tools/${name}, got none`);
  return undefined;
}

/**
 * Each figure with its budget. A figure without a budget, or a budget without a figure, is a
 * mistake.
 */
export function compare(figures, allowed = budgets) {
  const names = new Set([...Object.keys(figures), ...Object.keys(allowed)]);
  return [...names].map((name) => {
    const figure = figures[name];
    const budget = allowed[name];
    return { name, figure, budget, isOver: figure !== null && !(figure <= budget) };
  });
}

function sources() {
  return filesBelow("src").filter((name) => /\.tsx?$/.test(name));
}

function linesOf(name) {
  return readText(name).split("\n").length - 1;
}

/**
 * How many flags each command has, without those that all have, and without what only a settings
 * file sets.
 */
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

/**
 * How many names an entry point exports: the values are those of the built module, all others are
 * types.
 */
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
  return new Set([...values, ...listed, ...declared].filter((name) => name !== "")).size;
}

/** A built module, and those that it loads when it is imported. */
export function loadedBy(file, known = new Set()) {
  if (known.has(file)) return [];
  known.add(file);
  const targets = [
    ...readFileSync(file, "utf8").matchAll(/(?:from|^import|[;\n]import)\s*"(\.[^"]+)"/g),
  ];
  return [
    file,
    ...targets.flatMap(([, target]) => loadedBy(resolve(dirname(file), target), known)),
  ];
}

function packedSize() {
  const options = {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "ignore"],
  };
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
      `${isOver ? "✗" : "✓"} ${String(figure ?? "?").padStart(7)} of ${String(budget).padStart(6)} ${name}`,
    );
    if (isOver) process.exitCode = 1;
  }
  const unheld = {
    "lines of TypeScript in src/": sum(sources().map(linesOf)),
    "tokens of TypeScript in src/": countTokens(sources().map((name) => join(root, name))),
  };
  for (const [name, figure] of Object.entries(unheld))
    console.log(`  ${String(figure).padStart(7)}           ${name}`);
}
