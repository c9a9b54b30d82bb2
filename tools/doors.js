// Which files of tests reach into `src/` and through no door: they hold walls in place. Doors are
// the functions that the package exports, the command line (`run`, or as a process), `check`
// against a receiver, and a store's contract; a helper may lead to one. `node tools/doors.js` lists
// the files. Types, errors and constants are no doors.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(import.meta.dirname, "..");
const src = join(root, "src");
/** What a test of internals imports from an entry as well. */
const NO_DOOR =
  /^(?:type .+|[A-Z][A-Z_]+|\w+Error|\w+Schema|eventKinds|isEventKind|sign|exactNumber|sampleEvent|signedRequest)$/;
const INSIDE_DOORS = ["cli/main.ts", "check/run-check.ts"].map((name) => join(src, name));
const CONTRACT = /[/-]contract\.ts$/;
const STARTS_PROGRAM = /\b(?:spawn|spawnSync|execFile|fork|exec)\(/;
const OUR_PROGRAM = /dist|packed|hookporter/;
const IMPORTS = /^(?:import|export) (type )?([^;]*?) from "(\.[^"]+)";/gm;

const known = new Map();

/** Whether a file of tests, by itself or by its helpers, imports internals, and passes a door. */
function lookAt(file) {
  const found = known.get(file);
  if (found !== undefined) return found;
  const seen = { reachesIn: false, hasDoor: false };
  known.set(file, seen); // before its imports, which may lead back
  const text = readFileSync(file, "utf8");
  if (STARTS_PROGRAM.test(text) && OUR_PROGRAM.test(text)) seen.hasDoor = true;
  for (const [, isType, names, specifier] of text.matchAll(IMPORTS)) {
    const target = join(dirname(file), specifier);
    if (isType !== undefined || !/\.tsx?$/.test(target)) continue;
    if (target.startsWith(join(src, "entries"))) seen.hasDoor ||= namesOf(names).some(isDoor);
    else if (target.startsWith(src)) seen.reachesIn = true;
    else if (target.startsWith(join(root, "test"))) seen.hasDoor ||= lookAt(target).hasDoor;
    seen.hasDoor ||= INSIDE_DOORS.includes(target) || CONTRACT.test(target);
  }
  return seen;
}

function namesOf(names) {
  const listed = /\{([^}]+)\}/.exec(names)?.[1] ?? names;
  return listed
    .split(",")
    .map((name) => name.trim().replace(/ as .*/, ""))
    .filter((name) => name !== "");
}

function isDoor(name) {
  return !NO_DOOR.test(name);
}

/** The files of tests that import internals only. */
export function withoutDoor() {
  const folder = join(root, "test");
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .filter((file) => {
      const { reachesIn, hasDoor } = lookAt(file);
      return reachesIn && !hasDoor;
    })
    .map((file) => relative(root, file).replaceAll("\\", "/"))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(withoutDoor().join("\n"));
